/* The registers that GDB sees. GDB does not know GPUs, so the description names the host's
 * architecture, whose program counter is the warp's; the warp's own registers follow as vectors
 * with one element per lane: $R4[7] is R4 of lane 7. */
#include "debug/session.h"

#include <stdio.h>

#if defined(__aarch64__)
#define ARCHITECTURE "aarch64"
#define CORE         "org.gnu.gdb.aarch64.core"
static void list_core(target_regs *out)
{
	for (unsigned i = 0; i < 34; i++) {
		struct target_reg r = {.reg_bits = i == 33 ? 32 : 64, .core = true};
		if (i < 31)
			snprintf(r.name, sizeof r.name, "x%u", i);
		else
			snprintf(r.name, sizeof r.name, "%s",
				 i == 31   ? "sp"
				 : i == 32 ? "pc"
					   : "cpsr");
		vec_push(out, r);
	}
}
unsigned target_pc(void) { return 32; }
#else
#define ARCHITECTURE "i386:x86-64"
#define CORE         "org.gnu.gdb.i386.core"
static void list_core(target_regs *out)
{
	static const char *const names[] = {
		"rax", "rbx", "rcx",   "rdx",   "rsi",  "rdi",   "rbp",   "rsp",    "r8",    "r9",
		"r10", "r11", "r12",   "r13",   "r14",  "r15",   "rip",   "eflags", "cs",    "ss",
		"ds",  "es",  "fs",    "gs",    "st0",  "st1",   "st2",   "st3",    "st4",   "st5",
		"st6", "st7", "fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg",  "fooff", "fop"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		struct target_reg r = {.reg_bits = i < 17              ? 64
						   : i >= 24 && i < 32 ? 80
								       : 32,
				       .core = true};
		snprintf(r.name, sizeof r.name, "%s", names[i]);
		vec_push(out, r);
	}
}
unsigned target_pc(void) { return 16; }
#endif

static void add_register(target_regs *out, const struct reg *r, const char *name)
{
	struct target_reg t = {.reg_bits = type_bits(r->type)};
	const char *own = name + (*name == '%');
	snprintf(t.gpu, sizeof t.gpu, "%s", name);
	if (r->type == T_PRED)
		t.reg_bits = 8;
	else if (type_rows(r->type) == 1 && t.reg_bits < 32)
		t.reg_bits = t.reg_bits <= 8 ? 8 : 16;
	t.is_float = r->type == T_F32 || r->type == T_F64;
	/* names of PTX registers could be those of the host's processor */
	snprintf(t.name, sizeof t.name, "%s%s", *name == '%' ? "ptx_" : "", own);
	for (size_t i = 0; i < out->n; i++)
		if (!strcmp(out->v[i].name, t.name))
			return;
	for (const char *c = t.name; *c; c++)
		if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') &&
		    !(*c >= '0' && *c <= '9') && *c != '_')
			return;
	vec_push(out, t);
}

void target_list(const struct image *img, target_regs *out)
{
	list_core(out);
	vec_push(out, ((struct target_reg){.name = "lanes", .reg_bits = 32}));
	vec_push(out, ((struct target_reg){.name = "lane", .reg_bits = 32}));
	vec_push(out, ((struct target_reg){.name = "warp", .reg_bits = 32}));
	vec_push(out, ((struct target_reg){.name = "block", .reg_bits = 32}));
	for (uint32_t i = 0; i < img->nfuncs; i++)
		for (size_t k = 0; k < img->funcs[i].f->regs.n; k++) {
			const struct reg *r = &img->funcs[i].f->regs.v[k];
			char name[40];
			if (img->funcs[i].row_of && img->funcs[i].row_of[k] >= 0 &&
			    type_bits(r->type) <= 64 &&
			    view_name(&img->funcs[i], (uint32_t)k, name))
				add_register(out, r, name);
		}
}

static void print_type(FILE *f, const struct target_reg *r)
{
	if (*r->gpu)
		fprintf(f, "type=\"lanes_%s%u\"", r->is_float ? "f" : "u", r->reg_bits);
	else if (r->reg_bits == 80)
		fprintf(f, "type=\"i387_ext\"");
	else
		fprintf(f, "type=\"%s\"",
			!strcmp(r->name, "rip") || !strcmp(r->name, "pc") ? "code_ptr"
			: r->reg_bits == 64                               ? "int64"
			: r->core                                         ? "int32"
									  : "uint32");
}

char *target_xml(const target_regs *t)
{
	static const char *const vectors[][2] = {{"u8", "uint8"},        {"u16", "uint16"},
						 {"u32", "uint32"},      {"u64", "uint64"},
						 {"f32", "ieee_single"}, {"f64", "ieee_double"}};
	char *text = NULL;
	size_t n = 0;
	bool own = false;
	FILE *f = open_memstream(&text, &n);
	fprintf(f, "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target>"
		   "<architecture>" ARCHITECTURE "</architecture>\n<feature name=\"" CORE "\">\n");
	for (size_t i = 0; i < t->n; i++) {
		const struct target_reg *r = &t->v[i];
		if (!r->core && !own) {
			own = true;
			fprintf(f, "</feature>\n<feature name=\"org.heddle.warp\">\n");
			for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
				fprintf(f, "<vector id=\"lanes_%s\" type=\"%s\" count=\"%d\"/>\n",
					vectors[k][0], vectors[k][1], LANES);
		}
		fprintf(f, "<reg name=\"%s\" bitsize=\"%u\" regnum=\"%zu\" ", r->name,
			*r->gpu ? r->reg_bits * LANES : r->reg_bits, i);
		print_type(f, r);
		fprintf(f, "/>\n");
	}
	fprintf(f, "</feature></target>\n");
	fclose(f);
	return text;
}
