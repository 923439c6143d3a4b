/* Chooses the launches that are timed, outside sampled mode (sampled.c): the numbers of --launches, the kernels of --kernels (each with
 * numbers of its own, if the item has any), all after --skip. A launch is timed if every given list contains it. The others run functionally:
 * they change memory as usual, but not caches and DRAM. With `warm` they run in timing mode too, up
 * to the last launch that can be chosen, without figures. */
#include <stdio.h>
#include "api/api.h"
#include "base/choice.h"

static bool parse_ranges(struct chosen *c, const char *text)
{
	struct launch_range r;
	for (const char *s = text; choice_range(&s, &r.from, &r.to);)
		vec_push(&c->ranges, r);
	return choice_is_ranges(text);
}

bool heddle_is_launch_list(const char *list) { return choice_is_ranges(list); }

bool heddle_is_kernel_list(const char *list)
{
	choice_kernels kernels = {0};
	bool good = choice_kernels_parse(&kernels, list);
	choice_kernels_free(&kernels);
	return good;
}

enum heddle_status api_choose(struct heddle *h)
{
	const struct heddle_options *o = &h->opt;
	if (!o->launches && !o->kernels && !o->skip)
		return HEDDLE_OK;
	if (!h->gpu)
		return api_fail(
			h, HEDDLE_INVALID,
			"launches are chosen to be timed (--launches, --kernels, --skip): only "
			"timing mode does that");
	if (o->launches && !parse_ranges(&h->chosen, o->launches))
		return api_fail(
			h, HEDDLE_INVALID,
			"launches %s: expected numbers and ranges, such as 3,7-9; the first launch "
			"is 0",
			o->launches);
	if (o->kernels && !choice_kernels_parse(&h->chosen.kernels, o->kernels))
		return api_fail(h, HEDDLE_INVALID,
				"kernels '%s': expected names or regular expressions, separated by "
				"commas, with numbers of launches as in 5-8@gemm.*",
				o->kernels);
	h->chosen.some = true;
	return HEDDLE_OK;
}

enum launch_mode api_mode(const struct heddle *h, const char *kernel, size_t number)
{
	const struct chosen *c = &h->chosen;
	if (!h->gpu)
		return LAUNCH_FUNCTIONAL;
	if (!c->some)
		return LAUNCH_TIMED;
	bool in = number >= h->opt.skip, later = !c->ranges.n;
	if (in && c->ranges.n) {
		in = false;
		for (size_t i = 0; i < c->ranges.n; i++)
			in |= number >= c->ranges.v[i].from && number <= c->ranges.v[i].to;
	}
	for (size_t i = 0; i < c->ranges.n; i++)
		later |= number < c->ranges.v[i].to;
	if (in && (!h->opt.kernels || choice_kernels_have(&c->kernels, kernel, number)))
		return LAUNCH_TIMED;
	return h->opt.warm && later ? LAUNCH_WARMING : LAUNCH_FUNCTIONAL;
}

/* Prints the items of --kernels that stand for no kernel launched so far: they may be mistyped. */
static void print_unmatched(FILE *f, const struct heddle *h)
{
	const choice_kernels *list = &h->chosen.kernels;
	bool any = false;
	for (size_t i = 0; i < list->n; i++) {
		bool is = false;
		for (size_t k = 0; k < h->launches.n && !is; k++)
			is = choice_kernel_is(&list->v[i], h->launches.v[k].s.kernel);
		if (!is)
			fprintf(f, "%s%s", any ? ", " : " (no launch is of ", list->v[i].name);
		any |= !is;
	}
	if (any)
		fputc(')', f);
}

char *api_chosen(const struct heddle *h)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = h->chosen.some ? open_memstream(&text, &n) : NULL;
	if (!f)
		return NULL;
	if (h->sampled)
		fprintf(f, "a sample for an error of %.3g %%, seed %llu", 100 * h->opt.error,
			(unsigned long long)h->opt.seed);
	if (h->opt.launches)
		fprintf(f, "launches %s", h->opt.launches);
	if (h->opt.kernels) {
		fprintf(f, "%skernels %s", ftell(f) ? " of " : "", h->opt.kernels);
		if (h->launches.n)
			print_unmatched(f, h);
	}
	if (h->opt.skip)
		fprintf(f, "%slaunches from %llu on", ftell(f) ? " of " : "",
			(unsigned long long)h->opt.skip);
	fputs(h->opt.warm ? "; the others warm the caches" : "; the others run functionally", f);
	fclose(f);
	return text;
}
