/* Chooses the launches that are timed: the numbers of --launches, the kernels of --kernels, all
 * after --skip. A launch is timed if every given list contains it. The others run functionally:
 * they change memory as usual, but not caches and DRAM. With `warm` they run in timing mode too, up
 * to the last launch that can be chosen, without figures. */
#include <stdio.h>
#include <string.h>
#include "api/api.h"
#include "base/choice.h"
#include "base/mangled.h"

static bool parse_ranges(struct chosen *c, const char *text)
{
	struct launch_range r;
	for (const char *s = text; choice_range(&s, &r.from, &r.to);)
		vec_push(&c->ranges, r);
	return choice_is_ranges(text);
}

bool heddle_is_launch_list(const char *list) { return choice_is_ranges(list); }

bool heddle_is_kernel_list(const char *list) { return choice_is_names(list); }

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
			"launches %s: expected numbers and ranges, as 3,7-9; the first launch "
			"is 0",
			o->launches);
	if (o->kernels && !choice_is_names(o->kernels))
		return api_fail(h, HEDDLE_INVALID,
				"kernels '%s': expected names, separated by commas", o->kernels);
	h->chosen.some = true;
	return HEDDLE_OK;
}

/* Compares a kernel's name with its name in the program or as C++ spells it: _ZN2ns3addEPf, ns::add
 * and add. */
static bool is_named(const char *kernel, const char *name, size_t n)
{
	struct plain_name plain = plain_name(kernel);
	size_t len = strlen(plain.text);
	if (strlen(kernel) == n && !memcmp(kernel, name, n))
		return true;
	if (len < n || memcmp(plain.text + len - n, name, n))
		return false;
	return len == n || plain.text[len - n - 1] == ':';
}

static bool in_names(const char *list, const char *kernel)
{
	for (const char *s = list; *s;) {
		size_t n = strcspn(s, ",");
		if (n && is_named(kernel, s, n))
			return true;
		s += n + (s[n] == ',');
	}
	return false;
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
	if (in && (!h->opt.kernels || in_names(h->opt.kernels, kernel)))
		return LAUNCH_TIMED;
	return h->opt.warm && later ? LAUNCH_WARMING : LAUNCH_FUNCTIONAL;
}

/* Prints the names in the list that no launch had so far: they may be mistyped. */
static void print_unmatched(FILE *f, const struct heddle *h)
{
	bool any = false;
	for (const char *s = h->opt.kernels; *s;) {
		size_t n = strcspn(s, ",");
		bool is = !n;
		for (size_t i = 0; i < h->launches.n && !is; i++)
			is = is_named(h->launches.v[i].s.kernel, s, n);
		if (!is)
			fprintf(f, "%s%.*s", any ? ", " : " (no launch is of ", (int)n, s);
		any |= !is;
		s += n + (s[n] == ',');
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
