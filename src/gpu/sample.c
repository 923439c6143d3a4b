#include "gpu/sample.h"

#include <inttypes.h>
#include "gpu/meter.h"
#include "mem/memsys.h"
#include "sm/l1.h"

/* Counters of an SM, and of the memory system; each is a column. */
/* clang-format off */
enum { N_WARP, N_THREAD, N_RESIDENT, N_BLOCKS, N_PARTIAL, N_REGS, N_REGS_ENDED, N_READY, N_SLOT, N_CACHE = N_SLOT + SLOT_COUNT, N_LANE = N_CACHE + 3 * L1_COUNT, SM_COUNTERS = N_LANE + MAX_LANES };
/* clang-format on */

struct sampler {
	const struct gpu *g;
	FILE *f;
	bool json, any;
	uint64_t every;
	uint64_t launch; /* number of the present one, from 1 */
	const char *kernel;
	cycle_t origin, from; /* of the launch; of the next row */
	uint64_t (*before)[SM_COUNTERS];
	struct memsys_sample mem;
	struct meter meter;
	bool metered; /* the meter is set up: a launch has begun */
};

static const char *const cache_name[L1_COUNT] = {"l1d", "l1c", "l1t", "l1i"};

/* Lanes that count what went through each. */
static unsigned lanes_of(const struct sampler *s)
{
	const struct lanes *l = &s->g->sm[0]->lanes;
	return l->ops->went ? l->n : 0;
}

static void print_head(struct sampler *s)
{
	fprintf(s->f,
		"launch,kernel,from,to,sm,warp_instructions,thread_instructions,ipc,resident_warps,"
		"resident_blocks,partial_cycles,registers,registers_ended,ready_warps");
	for (unsigned i = 0; i < SLOT_COUNT; i++)
		fprintf(s->f, ",%s", slot_stats.def[i].name);
	for (unsigned k = 0; k < L1_COUNT; k++)
		fprintf(s->f, ",%s_accesses,%s_hits,%s_misses", cache_name[k], cache_name[k],
			cache_name[k]);
	fprintf(s->f,
		",l2_accesses,l2_hits,l2_misses,dram_read_bytes,dram_write_bytes,dram_gb_s,request_flits,reply_flits");
	for (unsigned c = 0; c < COMP_COUNT; c++)
		fprintf(s->f, ",w_%s", power_components[c].name);
	fputs(",w_total", s->f);
	for (unsigned i = 0; i < lanes_of(s); i++)
		fprintf(s->f, ",lane%u_ipc", i);
	fputc('\n', s->f);
}

struct sampler *sampler_new(const struct gpu *g, uint64_t every, FILE *f, bool json)
{
	struct sampler *s = xcalloc(1, sizeof *s);
	*s = (struct sampler){.g = g, .f = f, .json = json, .every = every};
	s->before = xcalloc(g->nsm, sizeof *s->before);
	if (json)
		fputc('[', f);
	else
		print_head(s);
	return s;
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	if (s->json)
		fputs("\n]\n", s->f);
	fflush(s->f);
	if (s->metered)
		meter_end(&s->meter);
	free(s->before);
	free(s);
}

/* Groups that could issue now. */
static uint64_t ready(const struct sm *sm)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < sm->nsched; i++)
		for (unsigned s = GS_READY; s < GS_COUNT; s++)
			n += sm->issuer[i].count[s];
	return n;
}

static void count(const struct sm *sm, uint64_t c[SM_COUNTERS])
{
	c[N_WARP] = STAT(&sm->stats, warp_instructions);
	c[N_THREAD] = STAT(&sm->stats, thread_instructions);
	c[N_RESIDENT] = STAT(&sm->stats, warp_cycles);
	c[N_BLOCKS] = STAT(&sm->blocks.stats, resident);
	c[N_PARTIAL] = STAT(&sm->blocks.stats, partial);
	c[N_REGS] = STAT(&sm->blocks.stats, registers);
	c[N_REGS_ENDED] = STAT(&sm->blocks.stats, registers_ended);
	c[N_READY] = ready(sm);
	memset(c + N_LANE, 0, MAX_LANES * sizeof *c);
	for (unsigned i = 0; i < sm->lanes.n && sm->lanes.ops->went; i++)
		c[N_LANE + i] = sm->lanes.ops->went(&sm->lanes, i);
	memcpy(c + N_SLOT, sm->slots, sizeof sm->slots);
	for (unsigned k = 0; k < L1_COUNT; k++) {
		const struct cache_stats *t = &sm->l1->cache[k].stats;
		c[N_CACHE + 3 * k] = STAT(t, accesses);
		c[N_CACHE + 3 * k + 1] = STAT(t, hits);
		c[N_CACHE + 3 * k + 2] = STAT(t, misses);
	}
}

void sampler_begin(struct sampler *s, const char *kernel, cycle_t at)
{
	s->launch++;
	s->kernel = kernel;
	s->origin = s->from = at;
	for (unsigned i = 0; i < s->g->nsm; i++)
		count(s->g->sm[i], s->before[i]);
	memsys_sample(s->g->mem, &s->mem);
	if (s->metered)
		meter_end(&s->meter);
	meter_begin(&s->meter, s->g, at, true);
	s->metered = true;
}

cycle_t sampler_next(const struct sampler *s) { return s->from + s->every; }

/* ---- a row ---- */

static void text_field(const struct sampler *s, const char *name, const char *value)
{
	if (s->json)
		fprintf(s->f, ", \"%s\": \"%s\"", name, value);
	else
		fprintf(s->f, ",%s", value);
}

static void count_field(const struct sampler *s, const char *name, uint64_t value)
{
	if (s->json)
		fprintf(s->f, ", \"%s\": %" PRIu64, name, value);
	else
		fprintf(s->f, ",%" PRIu64, value);
}

static void real_field(const struct sampler *s, const char *name, double value)
{
	if (s->json)
		fprintf(s->f, ", \"%s\": %.6g", name, value);
	else
		fprintf(s->f, ",%.6g", value);
}

static void row_begin(struct sampler *s, int sm, cycle_t to)
{
	if (s->json)
		fprintf(s->f, "%s\n{\"launch\": %" PRIu64, s->any ? "," : "", s->launch);
	else
		fprintf(s->f, "%" PRIu64, s->launch);
	s->any = true;
	text_field(s, "kernel", s->kernel);
	count_field(s, "from", s->from - s->origin);
	count_field(s, "to", to - s->origin);
	if (sm < 0)
		text_field(s, "sm", "all");
	else
		count_field(s, "sm", (uint64_t)sm);
}

static void sm_fields(const struct sampler *s, const uint64_t d[SM_COUNTERS], double cycles)
{
	static const char *const what[] = {"accesses", "hits", "misses"};
	char name[32];
	count_field(s, "warp_instructions", d[N_WARP]);
	count_field(s, "thread_instructions", d[N_THREAD]);
	real_field(s, "ipc", (double)d[N_THREAD] / cycles);
	real_field(s, "resident_warps", (double)d[N_RESIDENT] / cycles);
	real_field(s, "resident_blocks", (double)d[N_BLOCKS] / cycles);
	count_field(s, "partial_cycles", d[N_PARTIAL]);
	real_field(s, "registers", (double)d[N_REGS] / cycles);
	real_field(s, "registers_ended", (double)d[N_REGS_ENDED] / cycles);
	count_field(s, "ready_warps", d[N_READY]);
	for (unsigned i = 0; i < SLOT_COUNT; i++)
		count_field(s, slot_stats.def[i].name, d[N_SLOT + i]);
	for (unsigned i = 0; i < 3 * L1_COUNT; i++) {
		snprintf(name, sizeof name, "%s_%s", cache_name[i / 3], what[i % 3]);
		count_field(s, name, d[N_CACHE + i]);
	}
}

static void memory_fields(struct sampler *s, double cycles)
{
	const struct machine *m = s->g->m;
	struct memsys_sample now;
	memsys_sample(s->g->mem, &now);
	uint64_t burst = (uint64_t)m->dram_bus * m->dram_burst;
	uint64_t rd = (now.read_bursts - s->mem.read_bursts) * burst,
		 wr = (now.write_bursts - s->mem.write_bursts) * burst;
	count_field(s, "l2_accesses", now.l2_accesses - s->mem.l2_accesses);
	count_field(s, "l2_hits", now.l2_hits - s->mem.l2_hits);
	count_field(s, "l2_misses", now.l2_misses - s->mem.l2_misses);
	count_field(s, "dram_read_bytes", rd);
	count_field(s, "dram_write_bytes", wr);
	real_field(s, "dram_gb_s", (double)(rd + wr) * m->core_mhz * 1e-3 / cycles);
	count_field(s, "request_flits", now.request_flits - s->mem.request_flits);
	count_field(s, "reply_flits", now.reply_flits - s->mem.reply_flits);
	s->mem = now;
}

/* Full precision: rows x time are the launch's energy. Of an SM the components that it has. */
static void power_fields(const struct sampler *s, int sm)
{
	char name[32];
	for (unsigned c = 0; c < COMP_COUNT; c++) {
		bool has = sm < 0 || power_components[c].home == HOME_SM;
		snprintf(name, sizeof name, "w_%s", power_components[c].name);
		if (has && s->json)
			fprintf(s->f, ", \"%s\": %.17g", name, meter_watts(&s->meter, c, sm));
		else if (has)
			fprintf(s->f, ",%.17g", meter_watts(&s->meter, c, sm));
		else if (!s->json)
			fputc(',', s->f);
	}
	if (s->json)
		fprintf(s->f, ", \"w_total\": %.17g", meter_total(&s->meter, sm));
	else
		fprintf(s->f, ",%.17g", meter_total(&s->meter, sm));
}

/* At the row's end: most machines have none. */
static void lane_fields(const struct sampler *s, const uint64_t d[SM_COUNTERS], double cycles)
{
	char name[32];
	for (unsigned i = 0; i < lanes_of(s); i++) {
		snprintf(name, sizeof name, "lane%u_ipc", i);
		real_field(s, name, (double)d[N_LANE + i] / cycles);
	}
}

void sampler_row(struct sampler *s, cycle_t to)
{
	uint64_t sum[SM_COUNTERS] = {0}, now[SM_COUNTERS];
	double cycles = (double)(to - s->from);
	if (to <= s->from)
		return;
	meter_read(&s->meter, to);
	for (unsigned i = 0; i < s->g->nsm; i++) {
		sm_count_until(s->g->sm[i], to);
		count(s->g->sm[i], now);
		for (unsigned k = 0; k < SM_COUNTERS; k++) {
			uint64_t d = k == N_READY ? now[k] : now[k] - s->before[i][k];
			s->before[i][k] = now[k];
			sum[k] += now[k] = d;
		}
		row_begin(s, (int)i, to);
		sm_fields(s, now, cycles);
		fputs(s->json ? "" : ",,,,,,,,", s->f); /* the memory system is not an SM's */
		power_fields(s, (int)i);
		lane_fields(s, now, cycles);
		fputs(s->json ? "}" : "\n", s->f);
	}
	row_begin(s, -1, to);
	sm_fields(s, sum, cycles);
	memory_fields(s, cycles);
	power_fields(s, -1);
	lane_fields(s, sum, cycles);
	fputs(s->json ? "}" : "\n", s->f);
	s->from = to;
}
