/* --check control-bits: the machine code of each kernel is checked when it is first launched. The launch goes on; its
 * status then is a fault with the findings as text. */
#include "api/api.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/mangled.h"
#include "lift/sm70/control_check.h"

struct listener {
	struct heddle *h;
	FILE *f; /* the text of all findings */
	const char *kernel;
};

static void hear_finding(void *arg, const char *text)
{
	struct listener *to = arg;
	fprintf(to->f, "%s\n", text);
	if (to->h->reports)
		json_array_append_new(to->h->reports,
				      json_pack("{s:s, s:s, s:s}", "kind", "control bits",
						"message", text, "kernel", to->kernel));
}

void api_control_check(struct heddle *h, struct heddle_kernel *k)
{
	struct listener to = {.h = h, .kernel = k->f->name};
	char *text = NULL;
	size_t n = 0;
	if (!h->opt.check_control || k->control_checked)
		return;
	k->control_checked = true;
	bool checked = k->f->native && k->f->native->converges && !k->f->replay;
	if (!checked) {
		char *note = NULL;
		if (!h->control_idle &&
		    asprintf(&note,
			     "--check control-bits: %s is not machine code for sm_75 or later and "
			     "has no control bits",
			     plain_name(k->f->name).text) >= 0)
			api_warn(h, note);
		free(note);
		h->control_idle = true;
		return;
	}
	to.f = open_memstream(&text, &n);
	if (to.f && control_check_kernel(k->f, &(struct control_sink){hear_finding, &to})) {
		fclose(to.f);
		char *all;
		if (asprintf(&all, "%s%s", h->control ? h->control : "", text) >= 0) {
			free(h->control);
			h->control = all;
		}
	} else if (to.f) {
		fclose(to.f);
	}
	free(text);
}

enum heddle_status api_control_report(struct heddle *h, enum heddle_status st)
{
	if (!h->control)
		return st;
	char *text = h->control;
	size_t n = strlen(text);
	h->control = NULL;
	if (n && text[n - 1] == '\n')
		text[n - 1] = 0;
	if (h->opt.check_report && json_dump_file(h->reports, h->opt.check_report, JSON_INDENT(1)))
		st = api_fail(h, HEDDLE_INVALID, "%s: %s", h->opt.check_report, strerror(errno));
	else if (st)
		api_fail(h, st, "%s\n%s", h->message, text);
	else
		st = api_fail(h, HEDDLE_FAULT, "%s", text);
	if (h->fault.kind == HEDDLE_FAULT_NONE)
		h->fault.kind = HEDDLE_FAULT_CONTROL;
	free(text);
	return st;
}

char *heddle_control_check(const struct heddle_text *t, unsigned *found, char **message)
{
	struct listener to = {.kernel = t->name};
	struct heddle none = {0};
	struct control_check sum;
	struct diag d = {0};
	char *text = NULL;
	size_t n = 0;
	*message = NULL;
	*found = 0;
	to.h = &none;
	to.f = open_memstream(&text, &n);
	bool ok = to.f && control_check_file(t->name, t->data, t->size,
					     &(struct control_sink){hear_finding, &to}, &sum, &d);
	if (ok)
		fprintf(to.f, "%s: %u function%s, %lu instructions, %u hazard%s\n", t->name,
			sum.functions, sum.functions == 1 ? "" : "s", sum.instructions, sum.found,
			sum.found == 1 ? "" : "s");
	if (to.f)
		fclose(to.f);
	if (ok) {
		*found = sum.found;
	} else {
		*message = diag_string(&d);
		free(text);
		text = NULL;
	}
	diag_free(&d);
	return text;
}
