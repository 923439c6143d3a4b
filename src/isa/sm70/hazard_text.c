/* A hazard as text for people. */
#include "isa/sm70/access.h"
#include "isa/sm70/hazard.h"

static void describe_hazard(const struct sm70_hazard *h, char *buf, size_t n)
{
	char reg[8];
	const char *does = h->writes ? "overwrites" : "reads";
	sm70_resource_name(h->resource, reg);
	switch (h->kind) {
	case SM70_HAZARD_STALL:
		snprintf(
			buf, n,
			"%s %s %u cycle%s after its producer: stall counts between them must add up to %u at least",
			does, reg, h->have, h->have == 1 ? "" : "s", h->need);
		break;
	case SM70_HAZARD_RESULT:
		snprintf(buf, n, "%s %s before its result is there: wait for counter %u", does, reg,
			 h->counter);
		break;
	case SM70_HAZARD_NONE:
		snprintf(
			buf, n,
			"%s %s before its result is there: the producer needs a write counter to wait for",
			does, reg);
		break;
	case SM70_HAZARD_SOURCE:
		snprintf(buf, n, "overwrites %s before it has been read: wait for counter %u", reg,
			 h->counter);
		break;
	case SM70_HAZARD_UNREAD:
		snprintf(
			buf, n,
			"overwrites %s before it has been read: the reader needs a read counter to wait for",
			reg);
		break;
	case SM70_HAZARD_HASTE:
		snprintf(
			buf, n,
			"waits for counter %u %u cycle after it is set, too early to see it: a stall of %u at least is needed",
			h->counter, h->have, h->need);
		break;
	default:
		snprintf(
			buf, n,
			"%s %s of a product that may not be done: WARPGROUP.DEPBAR must wait for its group",
			does, reg);
	}
}

void sm70_hazard_text(const struct sm70_hazard *h, const struct sm70_inst *in, char *buf, size_t n)
{
	char what[200], first[200], second[200];
	describe_hazard(h, what, sizeof what);
	sm70_print(&in[h->first], SM70_FULL, first, sizeof first);
	sm70_print(&in[h->second], SM70_FULL, second, sizeof second);
	snprintf(buf, n, "0x%llx %s\n  0x%04llx: %s\n  0x%04llx: %s",
		 (unsigned long long)in[h->second].pc, what, (unsigned long long)in[h->first].pc,
		 first, (unsigned long long)in[h->second].pc, second);
}
