/* Runs recorded cases and compares all bytes. hopper.h has the interface. */
#include "cli/golden/hopper.h"
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/command.h"
#include "cli/golden/cases.h"
#include "cli/golden/file.h"
#include "cli/golden/set.h"

enum { ALIGN = 4096, PARAM_ROOM = 4096, MAP_BYTES = 128, WHY = 600 };

/* Variants of the GPU's behaviour where hardware leaves it open: the plain one, other bytes in
 * unwritten shared memory, and copies that report to their mbarrier piece by piece. */
enum { PLAIN, FILLED, PIECES, MANNERS };

struct runner {
	const struct hopper_run *run;
	struct case_set set;
	struct golden_set code;         /* machine code of the modules, if run->cubins is given */
	struct heddle *manner[MANNERS]; /* NULL: not needed yet */
	/* number of cases whose result is one of several allowed ones */
	unsigned open;
	struct heddle *gpu; /* the GPU of the current variant of behaviour */
	const char *module_name;
	struct heddle_module *module;
	uint8_t **keep; /* not NULL: results are stored there and not compared */
	char *maps;     /* contents of tensormaps.tsv; NULL: not needed yet */
	char why[WHY];  /* why the current case failed */
};

static bool fail_case(struct runner *r, const char *text)
{
	snprintf(r->why, sizeof r->why, "%.*s", (int)strcspn(text, "\n"), text);
	return false;
}

/* ---- buffers and parameters ---- */

struct placed {
	uint64_t base, at; /* base: allocation; at: the buffer in it, aligned to a page */
};

static bool place_buffers(struct runner *r, const struct golden_case *c, struct placed *p)
{
	for (unsigned i = 0; i < c->nbuf; i++) {
		const struct case_buffer *b = &c->buf[i];
		if (heddle_malloc(r->gpu, b->size + ALIGN, &p[i].base))
			return fail_case(r, heddle_message(r->gpu));
		p[i].at = (p[i].base + ALIGN - 1) / ALIGN * ALIGN;
		if (b->before ? heddle_write(r->gpu, p[i].at, b->before, b->size)
			      : heddle_fill(r->gpu, p[i].at, b->fill, 1, b->size))
			return fail_case(r, heddle_message(r->gpu));
	}
	return true;
}

/* Returns the address of a tensor on the GPU, by tensormaps.tsv; `own` if the table lacks it. */
static uint64_t recorded_address(struct runner *r, const char *name, uint64_t own)
{
	size_t size, n = strlen(name);
	char *path = r->maps ? NULL : golden_find(r->run->dir, "tensormaps.tsv");
	if (path)
		r->maps = cli_unpack("golden", path, &size);
	free(path);
	for (const char *l = r->maps; l; l = strchr(l, '\n')) {
		l += *l == '\n';
		if (!strncmp(l, name, n) && l[n] == '\t') {
			const char *at = l + n + 1;
			for (unsigned tabs = 0; tabs < 2 && at; tabs++)
				at = (at = strchr(at, '\t')) ? at + 1 : NULL;
			return at ? strtoull(at, NULL, 0) : own;
		}
	}
	return own;
}

/* Makes the tensor maps of a case; *refused: one of them breaks a rule. */
static bool make_maps(struct runner *r, const struct golden_case *c, const struct placed *p,
		      uint8_t map[][MAP_BYTES], bool *refused)
{
	char *text = strdup(strcmp(c->maps, "-") ? c->maps : ""), *save = NULL;
	unsigned n = 0, buffer;
	bool ok = text != NULL;
	for (char *t = ok ? strtok_r(text, ";", &save) : NULL; t && ok;
	     t = strtok_r(NULL, ";", &save)) {
		struct heddle_tensor_map m;
		uint64_t offset;
		ok = n < CASE_MAPS && cases_map(t, &m, &buffer, &offset) && buffer < c->nbuf;
		if (!ok) {
			fail_case(r, "a tensor map that cannot be read");
			break;
		}
		m.addr = p[buffer].at + offset;
		if (!strcmp(c->family, "tensormap")) /* the result of these cases is the map */
			m.addr = recorded_address(r, c->name, m.addr);
		const char *broken = heddle_tensor_map(&m, map[n++]);
		if (broken)
			fail_case(r, broken);
		*refused |= broken != NULL;
	}
	free(text);
	return ok;
}

/* Writes one parameter: a value, or the bytes of a map. */
static bool put_param(const char *text, const struct heddle_param_info *info,
		      const struct placed *p, uint8_t map[][MAP_BYTES], uint8_t *block)
{
	char *end;
	uint64_t v = strtoull(text + 1, &end, 0);
	if (*text == 'm') {
		if (info->size != MAP_BYTES || v >= CASE_MAPS)
			return false;
		memcpy(block + info->offset, map[v], MAP_BYTES);
		return true;
	}
	if (*text == 'p')
		v = p[v].at + (*end == '+' ? strtoull(end + 1, NULL, 0) : 0);
	if (info->size > sizeof v)
		return false;
	memcpy(block + info->offset, &v, info->size);
	return true;
}

static bool fill_params(struct runner *r, const struct golden_case *c,
			const struct heddle_kernel *k, const struct placed *p,
			uint8_t map[][MAP_BYTES], uint8_t *block)
{
	struct heddle_kernel_info info;
	heddle_kernel_info(k, &info);
	char *text = strdup(c->params), *save = NULL;
	unsigned n = 0;
	bool ok = text && info.param_bytes <= PARAM_ROOM;
	for (char *t = ok ? strtok_r(text, ";", &save) : NULL; t && ok;
	     t = strtok_r(NULL, ";", &save)) {
		struct heddle_param_info at;
		ok = n < info.nparam;
		if (ok) {
			heddle_param_info(k, n++, &at);
			ok = put_param(t, &at, p, map, block);
		}
	}
	free(text);
	return (ok && n == info.nparam) || fail_case(r, "the kernel takes other parameters");
}

/* ---- results ---- */

/* True if byte i of the product's matrix D is in columns 0 to 6. A thread's word holds one element,
 * or two of 16 bits. */
static bool in_seven_columns(const struct golden_case *c, size_t i, size_t thread_bytes)
{
	size_t lane = i / thread_bytes % 4, word = i % thread_bytes / 4, half = i % 4 / 2;
	if (strstr(c->kernel, "_f16_") && !strstr(c->kernel, "_f32_"))
		return 8 * (word / 2) + 2 * lane + half < 7;
	return 8 * (word / 4) + 2 * lane + word % 2 < 7;
}

/* Keeps the kernel's results for open_result(). */
static bool keep_results(struct runner *r, const struct golden_case *c, const struct placed *p,
			 uint8_t **out)
{
	for (unsigned k = 0; k < c->nbuf; k++) {
		out[k] = c->buf[k].after ? malloc(c->buf[k].size + 1) : NULL;
		if (out[k] && heddle_read(r->gpu, out[k], p[k].at, c->buf[k].size))
			return false;
	}
	return true;
}

static bool compare_memory(struct runner *r, const struct golden_case *c, const struct placed *p)
{
	bool partial = !strcmp(c->expect, "partial"), same = true;
	for (unsigned k = 0; k < c->nbuf && same; k++) {
		const struct case_buffer *b = &c->buf[k];
		if (!b->after)
			continue;
		uint8_t *got = malloc(b->size + 1);
		if (!got || heddle_read(r->gpu, got, p[k].at, b->size))
			return free(got), fail_case(r, heddle_message(r->gpu));
		size_t first = b->size, wrong = 0;
		for (size_t i = 0; i < b->size; i++) {
			if (got[i] == b->after[i] ||
			    (partial && !in_seven_columns(c, i, b->size / 128)))
				continue;
			first = wrong++ ? first : i;
		}
		if (wrong) {
			same = false;
			snprintf(
				r->why, sizeof r->why,
				"buffer %u: %zu of %zu bytes wrong; byte %zu gave %02x, recorded %02x",
				k, wrong, b->size, first, got[first], b->after[first]);
		}
		free(got);
	}
	return same;
}

/* ---- one case ---- */

/* The module's PTX, or its machine code; malloc'ed. */
static char *module_text(struct runner *r, const char *module, size_t *size)
{
	char *name, *text;
	if (!r->run->cubins)
		return cases_module(&r->set, module, size);
	if (asprintf(&name, "modules/%s", module) < 0)
		return NULL;
	text = golden_cubin(&r->code, name, size);
	free(name);
	return text;
}

static struct heddle_kernel *find_kernel(struct runner *r, const struct golden_case *c)
{
	if (!r->module_name || strcmp(r->module_name, c->module)) {
		size_t size;
		char *text = module_text(r, c->module, &size);
		if (r->module)
			heddle_unload(r->gpu, r->module);
		r->module = NULL;
		r->module_name = c->module;
		struct heddle_text t = {c->module, text, size};
		if (text && heddle_load(r->gpu, &t, 1, &r->module)) {
			cli_error("golden", "%s", heddle_message(r->gpu));
			r->module = NULL;
		}
		free(text);
	}
	struct heddle_kernel *k = r->module ? heddle_kernel_find(r->module, c->kernel) : NULL;
	if (!k)
		fail_case(r, r->module ? "the module has no such kernel"
				       : "its module cannot be loaded");
	return k;
}

static bool launch_case(struct runner *r, const struct golden_case *c, const struct placed *p,
			uint8_t map[][MAP_BYTES])
{
	uint8_t params[PARAM_ROOM] = {0};
	struct heddle_kernel *k = find_kernel(r, c);
	if (!k || !fill_params(r, c, k, p, map, params))
		return false;
	struct heddle_launch l = {.kernel = k, .shared_bytes = c->shared, .params = params};
	memcpy(l.grid, c->grid, sizeof l.grid);
	memcpy(l.block, c->block, sizeof l.block);
	memcpy(l.cluster, c->cluster, sizeof l.cluster);
	enum heddle_status st = heddle_launch(r->gpu, &l);
	bool faults = st && heddle_fault(r->gpu)->kind == HEDDLE_FAULT_INSTRUCTION;
	if (!strcmp(c->expect, "illegal-instruction"))
		return faults ||
		       fail_case(r, st ? heddle_message(r->gpu) : "ran, though the GPU refuses it");
	if (!st && r->keep)
		return keep_results(r, c, p, r->keep);
	return st ? fail_case(r, heddle_message(r->gpu)) : compare_memory(r, c, p);
}

static bool run_case(struct runner *r, const struct golden_case *c)
{
	struct placed p[CASE_BUFFERS] = {0};
	uint8_t map[CASE_MAPS][MAP_BYTES];
	bool refused = false;
	bool ok = place_buffers(r, c, p) && make_maps(r, c, p, map, &refused);
	if (ok && !strcmp(c->expect, "map-refused"))
		ok = refused || fail_case(r, "the map is encoded, though the driver refuses it");
	else if (ok)
		ok = !refused && launch_case(r, c, p, map);
	for (unsigned i = 0; i < c->nbuf; i++)
		if (p[i].base)
			heddle_free(r->gpu, p[i].base);
	return ok;
}

/* ---- behaviour that hardware leaves open ---- */

static bool use_manner(struct runner *r, unsigned manner)
{
	struct heddle_options opt = {.max_instructions = 1 << 26,
				     .config = r->run->config,
				     .timing = r->run->config != NULL,
				     .code = r->run->code,
				     .code_without = r->run->code_without,
				     .shared_fill = manner == FILLED ? 0xff : 0,
				     .copies_in_pieces = manner == PIECES};
	if (!r->manner[manner] && heddle_open(&r->manner[manner], &opt)) {
		cli_error("golden", "%s",
			  r->manner[manner] ? heddle_message(r->manner[manner]) : "out of memory");
		return false;
	}
	r->gpu = r->manner[manner];
	r->module = NULL; /* the module belongs to another GPU */
	r->module_name = NULL;
	return true;
}

/* True if all bytes that differ from the recorded ones depend on unwritten shared memory. */
static bool depends_on_unwritten(const struct golden_case *c, uint8_t *const *plain,
				 uint8_t *const *filled)
{
	for (unsigned k = 0; k < c->nbuf; k++)
		for (size_t i = 0; c->buf[k].after && i < c->buf[k].size; i++)
			if (plain[k][i] != c->buf[k].after[i] && plain[k][i] == filled[k][i])
				return false;
	return true;
}

static bool is_recorded(const struct golden_case *c, uint8_t *const *out)
{
	for (unsigned k = 0; k < c->nbuf; k++)
		if (c->buf[k].after && memcmp(out[k], c->buf[k].after, c->buf[k].size))
			return false;
	return true;
}

/* Runs a failed case again in each variant of behaviour. True if the recorded result is one of the
 * allowed results. */
static bool open_result(struct runner *r, const struct golden_case *c)
{
	uint8_t *out[MANNERS][CASE_BUFFERS] = {{NULL}};
	struct runner kept = *r;
	bool ok = !strcmp(c->expect, "ok");
	for (unsigned m = 0; m < MANNERS && ok; m++) {
		ok = use_manner(r, m);
		r->keep = out[m];
		ok = ok && run_case(r, c);
		r->keep = NULL;
		if (r->module)
			heddle_unload(r->gpu, r->module);
	}
	ok = ok &&
	     (depends_on_unwritten(c, out[PLAIN], out[FILLED]) || is_recorded(c, out[PIECES]));
	for (unsigned m = 0; m < MANNERS; m++)
		for (unsigned k = 0; k < c->nbuf; k++)
			free(out[m][k]);
	r->gpu = kept.gpu;
	r->module = kept.module;
	r->module_name = kept.module_name;
	memcpy(r->why, kept.why, sizeof r->why);
	return ok;
}

/* ---- tensor maps as bytes ---- */

static bool map_is_exact(const char *arguments, const char *address, const char *hex)
{
	struct heddle_tensor_map m;
	unsigned buffer;
	uint64_t offset;
	uint8_t map[MAP_BYTES];
	if (!cases_map(arguments, &m, &buffer, &offset))
		return false;
	m.addr = strtoull(address, NULL, 0);
	if (heddle_tensor_map(&m, map))
		return false;
	for (unsigned i = 0; i < MAP_BYTES; i++) {
		unsigned byte;
		if (sscanf(hex + 2 * i, "%2x", &byte) != 1 || byte != map[i])
			return false;
	}
	return true;
}

struct tally {
	const char *family;
	unsigned passed, failed, refused;
};

static void run_maps(const struct runner *r, struct tally *t)
{
	char *path = golden_find(r->run->dir, "tensormaps.tsv"), *save = NULL;
	size_t size;
	char *text = path ? cli_unpack("golden", path, &size) : NULL;
	unsigned number = 0;
	*t = (struct tally){.family = "tensor maps"};
	for (char *l = text ? strtok_r(text, "\n", &save) : NULL; l;
	     l = strtok_r(NULL, "\n", &save)) {
		char name[200], arguments[400], address[40], hex[300];
		unsigned index;
		if (!number++)
			continue;
		bool read = sscanf(l, "%199[^\t]\t%u\t%399[^\t]\t%39[^\t]\t%299s", name, &index,
				   arguments, address, hex) == 5;
		bool ok = read && map_is_exact(arguments, address, hex);
		t->passed += ok;
		t->failed += !ok;
		if (!ok)
			printf("FAIL map %u of %s: other bytes than the driver's\n", index,
			       read ? name : l);
	}
	free(text);
	free(path);
}

/* ---- all cases ---- */

static bool selected(const struct hopper_run *run, const struct golden_case *c)
{
	return (!run->family || !strcmp(run->family, c->family)) &&
	       (!run->pattern || !fnmatch(run->pattern, c->name, FNM_EXTMATCH));
}

static struct tally *tally_of(struct tally *t, unsigned *n, const char *family)
{
	for (unsigned i = 0; i < *n; i++)
		if (!strcmp(t[i].family, family))
			return &t[i];
	t[*n] = (struct tally){.family = family};
	return &t[(*n)++];
}

enum { FAMILIES = 64 };

/* True if the case failed because the code that PTX is compiled to lacks an instruction. */
static bool is_refused(const struct runner *r)
{
	return r->run->code != HEDDLE_CODE_PTX && strstr(r->why, ": error: sm_") &&
	       strstr(r->why, " has no '");
}

static int run_all(struct runner *r)
{
	struct tally t[FAMILIES + 1];
	unsigned n = 0, passed = 0, failed = 0, refused = 0;
	for (unsigned i = 0; i < r->set.n; i++) {
		const struct golden_case *c = &r->set.v[i];
		if (!selected(r->run, c) || n == FAMILIES)
			continue;
		*r->why = 0;
		bool ok = run_case(r, c), refuses = !ok && is_refused(r);
		bool open = !ok && !refuses && open_result(r, c);
		struct tally *f = tally_of(t, &n, c->family);
		f->passed += ok || open;
		f->refused += refuses;
		f->failed += !ok && !open && !refuses;
		r->open += open;
		if (open)
			printf("open %s: %s, where hardware leaves it open\n", c->name, r->why);
		else if (refuses && r->run->verbose)
			printf("refused %s: %s\n", c->name, r->why);
		else if (!ok && !refuses)
			printf("FAIL %s: %s\n", c->name, r->why);
		else if (ok && r->run->verbose)
			printf("pass %s\n", c->name);
	}
	if (!r->run->family)
		run_maps(r, &t[n++]);
	for (unsigned i = 0; i < n; i++) {
		printf("%-12s %u of %u", t[i].family, t[i].passed, t[i].passed + t[i].failed);
		if (t[i].refused)
			printf(", %u refused", t[i].refused);
		putchar('\n');
		refused += t[i].refused;
		passed += t[i].passed;
		failed += t[i].failed;
	}
	if (!n) {
		cli_error("golden", "no case of that name or family");
		return CLI_USAGE;
	}
	if (r->open)
		printf("open: %u of them gave other bytes than recorded, which depend on unwritten shared memory or on the "
		       "order of a copy's pieces\n",
		       r->open);
	printf("%u passed, %u failed", passed, failed);
	if (refused)
		printf(", %u refused", refused);
	putchar('\n');
	return failed ? CLI_FAILED : CLI_OK;
}

int golden_cases(const struct hopper_run *run)
{
	struct runner r = {.run = run};
	int rc = CLI_FAILED;
	if ((!run->cubins || golden_cubins(&r.code, run->cubins)) && use_manner(&r, PLAIN) &&
	    cases_open(&r.set, run->dir, run->more))
		rc = run_all(&r);
	cases_close(&r.set);
	golden_close(&r.code);
	free(r.maps);
	for (unsigned m = 0; m < MANNERS; m++)
		if (r.manner[m])
			heddle_close(r.manner[m]);
	return rc;
}
