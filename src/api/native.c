/* Public functions for native code (include/heddle.h): from files to text or files. */
#include <stdlib.h>
#include <string.h>
#include "base/diag.h"
#include "front/elf/cuelf.h"
#include "front/elf/listing.h"
#include "front/native/module.h"
#include "heddle.h"
#include "isa/sm70/sm70.h"
#include "isa/table.h"

static bool isa_named(const char *s, enum native_isa *isa)
{
	*isa = !strcmp(s, "tesla") ? NATIVE_TESLA : NATIVE_FERMI;
	return !strcmp(s, "tesla") || !strcmp(s, "fermi");
}

static enum native_style style_of(enum heddle_sass s, enum native_isa isa)
{
	switch (s) {
	case HEDDLE_SASS_CUDA4: return NSTYLE_CUDA4;
	case HEDDLE_SASS_CUDA5: return NSTYLE_CUDA5;
	case HEDDLE_SASS_FULL: return NSTYLE_FULL;
	case HEDDLE_SASS_CUDA40: return NSTYLE_CUDA40;
	case HEDDLE_SASS_CUDA41: return NSTYLE_CUDA41;
	default: return native_default_style(isa);
	}
}

bool heddle_native_word(const char *isa_name, uint64_t word, uint32_t pc, enum heddle_sass style,
			char *buf, size_t n)
{
	enum native_isa isa;
	struct ninst in;
	if (!isa_named(isa_name, &isa) || !native_decode(isa, word, pc, &in))
		return false;
	if (style == HEDDLE_SASS_PTXPLUS)
		native_ptxplus(&in, "kernel", false, buf, n);
	else if (style == HEDDLE_SASS_FULL)
		native_print_exact(&in, buf, n);
	else
		native_print(&in, style_of(style, isa), buf, n);
	return true;
}

const char *heddle_native_class(const char *opcode)
{
	const char *name = strcmp(opcode, "BRA.U") ? opcode : "BRA";
	for (enum native_isa isa = NATIVE_FERMI; isa <= NATIVE_TESLA; isa++)
		for (unsigned i = 0; i < native_tab(isa)->nrow; i++)
			if (!strcmp(native_tab(isa)->row[i].name, name))
				return native_class_name(
					native_op_class(native_tab(isa)->row[i].op));
	return NULL;
}

char *heddle_native_table(const char *isa_name)
{
	enum native_isa isa = NATIVE_FERMI;
	bool wide = !strcmp(isa_name, "sm70");
	char *s = NULL;
	size_t n;
	FILE *f;
	if ((!wide && !isa_named(isa_name, &isa)) || !(f = open_memstream(&s, &n)))
		return NULL;
	if (wide)
		sm70_table_print(f);
	else
		native_table_print(isa, f);
	fclose(f);
	return s;
}

static bool chip_named(const char *name, unsigned *sm, char *err, size_t n)
{
	*sm = sm70_chip(name);
	if (!*sm)
		snprintf(err, n, "no chip %s; there are sm_75, 80, 86, 87, 89, 90, 100 and 120",
			 name);
	return *sm;
}

bool heddle_word128(const char *chip, const uint64_t word[2], uint64_t pc, bool full, char *buf,
		    size_t n)
{
	struct sm70_inst in;
	unsigned sm;
	if (!chip_named(chip, &sm, buf, n) || !sm70_decode(sm, word, pc, &in, buf, n))
		return false;
	sm70_print(&in, full ? SM70_FULL : SM70_PLAIN, buf, n);
	return true;
}

bool heddle_word128_assemble(const char *chip, const char *text, uint64_t pc, uint64_t word[2],
			     char *err, size_t n)
{
	struct sm70_inst in;
	unsigned sm;
	if (!chip_named(chip, &sm, err, n) ||
	    !sm70_assemble(sm, text, strlen(text), pc, NULL, 0, &in, err, n))
		return false;
	word[0] = in.word[0];
	word[1] = in.word[1];
	return true;
}

static bool load_file(struct nmodule *m, const struct heddle_text *t, char **message)
{
	struct diag d = {0};
	memset(m, 0, sizeof(*m));
	*message = NULL;
	bool ok = native_text_dialect(m, t->dialect, &d) &&
		  native_read(m, t->name, t->data, t->size, &d);
	if (d.n)
		*message = diag_string(&d);
	diag_free(&d);
	return ok;
}

/* A listing of machine code for sm_75 and later. */
static char *list_wide(const struct heddle_text *t, bool full, char **message)
{
	struct diag d = {0};
	char *s = NULL;
	size_t n;
	FILE *f = open_memstream(&s, &n);
	bool ok = f && culist_print(t->name, t->data, t->size, full, f, &d);
	if (f)
		fclose(f);
	*message = d.n ? diag_string(&d) : NULL;
	diag_free(&d);
	if (!ok) {
		free(s);
		s = NULL;
	}
	return s;
}

char *heddle_native_list(const struct heddle_text *t, enum heddle_sass style, char **message)
{
	if (cuelf_recognise(t->data, t->size))
		return list_wide(t, style == HEDDLE_SASS_FULL, message);
	struct nmodule m;
	char *s = NULL;
	size_t n;
	FILE *f;
	if (!load_file(&m, t, message))
		return NULL;
	if ((f = open_memstream(&s, &n))) {
		if (style == HEDDLE_SASS_PTXPLUS)
			native_ptxplus_print(&m, f);
		else
			native_listing_print(&m, style_of(style, m.isa), f);
		fclose(f);
	}
	native_module_free(&m);
	return s;
}

static void *assemble_wide(const struct heddle_text *t, size_t *size, char **message)
{
	struct diag d = {0};
	void *p = culist_assemble(t->name, t->data, t->size, size, &d);
	*message = d.n ? diag_string(&d) : NULL;
	diag_free(&d);
	return p;
}

void *heddle_native_assemble(const struct heddle_text *t, size_t *size, char **message)
{
	if (culist_recognise(t->data, t->size))
		return assemble_wide(t, size, message);
	struct nmodule m;
	if (!load_file(&m, t, message))
		return NULL;
	void *p = native_cubin_write(&m, size);
	native_module_free(&m);
	return p;
}
