/* Prints a kernel's text with the class of each instruction, for `heddle annotate --scalar`. */
#include <inttypes.h>
#include "api/api.h"
#include "exec/context.h"
#include "pass/pass.h"
#include "pass/scalar.h"

static const char *line_of(const struct func *f, uint32_t line, int *n)
{
	const char *s = f->text;
	*n = 0;
	if (!s || !line || f->native)
		return "";
	while (s < f->text_end && --line) {
		const char *nl = memchr(s, '\n', (size_t)(f->text_end - s));
		s = nl ? nl + 1 : f->text_end;
	}
	while (s < f->text_end && (*s == ' ' || *s == '\t'))
		s++;
	while (s + *n < f->text_end && s[*n] != '\n')
		++*n;
	return s;
}

static void print_func(FILE *out, const struct func *f, enum scalar_rule rule)
{
	struct arena a = {0};
	struct diag d = {0};
	struct pass_info p;
	struct pass_opts o = {0};
	struct scalar s;
	char why[256];
	if (pass_run((struct func *)(uintptr_t)f, &a, &o, &p, &d)) {
		scalar_find(&s, &a, f, p.cfg, &p.pdom, &p.live, rule);
		fprintf(out, "%s: %" PRIu32 " instructions, %" PRIu32 " scalar (%.1f %%)\n",
			f->name, s.insts, s.scalars, s.insts ? 100.0 * s.scalars / s.insts : 0.0);
		for (uint32_t i = 0; i < f->code.n; i++) {
			const struct inst *in = &f->code.v[i];
			bool alone = (i == 0 || f->code.v[i - 1].line != in->line) &&
				     (i + 1 == f->code.n || f->code.v[i + 1].line != in->line);
			int n;
			const char *text = line_of(f, in->line, &n);
			/* several instructions on one line: each by its own name */
			if (!alone || !n) {
				text = in->native ? in->native
				       : in->text ? in->text
						  : op_info[in->op].name;
				n = (int)strlen(text);
			}
			scalar_text(&s, f, i, why, sizeof why);
			fprintf(out, "%5" PRIu32 " %-6s | %-*.*s%s%s\n", in->line,
				s.why[i] == VEC_NOT ? "scalar" : "vector", why[0] ? 44 : 0, n, text,
				why[0] ? " | " : "", why);
		}
	}
	diag_free(&d);
	arena_free(&a);
}

char *heddle_scalar_text(struct heddle_kernel *k, bool convergent)
{
	const struct image *img = api_image(k->m->h, k);
	char *text = NULL;
	size_t n = 0;
	FILE *out = img ? open_memstream(&text, &n) : NULL;
	for (uint32_t i = 0; out && i < img->nfuncs; i++)
		print_func(out, img->funcs[i].f, convergent ? SCALAR_CONVERGENT : SCALAR_ALL);
	if (out)
		fclose(out);
	return text;
}
