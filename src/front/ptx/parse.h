/* State of the PTX parser and the interfaces between its files; the decoder sees only ptx.h.
 *
 *   parse.c    driver, tokens, errors, module directives
 *   scope.c    names, scopes, register ranges, labels
 *   expr.c     constant expressions
 *   vars.c     .reg and variables;  init.c  their initialisers
 *   func.c     .entry and .func, formals, frame layout, the body
 *   stmt.c     labels and instructions;  operand.c  operands;  callreg.c  calls with registers
 *
 * A parsing function returns false after it has reported an error; the caller that reads a list of
 * statements then skips to the next statement. One statement reports at most one error. */
#ifndef FRONT_PTX_PARSE_H
#define FRONT_PTX_PARSE_H
#include "front/ptx/lex.h"
#include "front/ptx/ptx.h"

enum {
	PTX_MAX_DEPTH = 200,  /* limit of nested blocks */
	PTX_MAX_EXPR = 100,   /* limit of nested expressions */
	PTX_MAX_OPNDS = 1024, /* limit of operands of a statement, all levels together */
	PTX_MAX_DIMS = 16,
	PTX_MAX_RANGE = 1 << 24, /* largest N of name<N> */
};

enum bind_kind { BN_REG, BN_VREG, BN_VAR, BN_FUNC, BN_SREG, BN_LABEL, BN_RANGE };
/* Kinds of names. Names of different kinds do not hide each other: plain names, prefixes of
 * name<N>, labels. */
enum chain { CH_SYM, CH_RANGE, CH_LABEL, CH_COUNT };

struct binding {
	struct binding *outer;   /* binding of the name and chain in an enclosing scope */
	struct binding *sibling; /* the binding declared before this one in its scope */
	struct name *name;
	uint16_t depth;
	/* type and components (1: scalar) of registers and ranges */
	uint8_t kind, chain, type, vec;
	uint8_t sub; /* BN_SREG: number of %envreg3 and the like */
	uint32_t id; /* first register, label, enum sreg; BN_RANGE: N */
	uint32_t line;
	struct var *var;
	struct func *func;
};

struct name {
	const char *s;
	uint32_t len;
	struct binding *top[CH_COUNT];
};

struct name_scope {
	struct binding *first;
	uint32_t n;
	uint32_t frame;  /* frame offset when the scope was opened */
	bool keep_frame; /* the scope holds .local variables, so its bytes are not reused */
};

enum { NO_LABEL = 0xffffffff };
struct label {
	const struct name *name;
	/* pc: index of the label's instruction; alias: label of an outer scope that this label
	 * stands for */
	uint32_t pc, alias;
	uint32_t line, col; /* position of the first use */
	bool defined, used;
	struct ptx_list *list;
};

/* A symbol in an initialiser that is declared later in the text. */
struct late_reloc {
	struct var *var;
	size_t index;
};

struct ptx_parser {
	struct module *m;
	struct diag *d;
	struct arena arena; /* freed at the end of ptx_read() */
	const char *file, *text, *end;
	struct lexer lx;
	struct token tok, ahead;
	bool has_ahead;
	bool failed, panic; /* panic: the statement has reported its error */
	bool skipping;      /* text is being skipped, so bad bytes are not reported */
	bool refusing;      /* an error refuses only the function (module.keep_refused) */

	struct map names;             /* text -> struct name */
	struct map mnemonics;         /* text -> its copy in the module's arena */
	struct map file_index;        /* .file number -> index into m->files + 1 */
	VEC(struct name_scope) scope; /* [0]: module, [1]: function, further: blocks */
	unsigned deepest_range;       /* depth of the deepest scope that declares a name<N> */
	VEC(struct late_reloc) late;

	struct func *f;           /* function being read, or NULL */
	VEC(struct label) labels; /* labels of f */
	uint32_t frame, frame_max;
	uint32_t src_file, src_line, src_col, inlined;
	bool reg_formals; /* f has .reg parameters or results */
	unsigned expr_depth;

	struct ptx_opnd *pool; /* operands of the statement being read */
	unsigned npool;
	VEC(struct ptx_opnd) stack;
};

/* ---- parse.c ---- */
void tok_next(struct ptx_parser *p);
const struct token *tok_peek(struct ptx_parser *p);
bool tok_is(const struct ptx_parser *p, int c);
bool tok_take(struct ptx_parser *p, int c);
/* Consumes the character c, or reports "expected 'c' WHERE, found ...". */
bool tok_expect(struct ptx_parser *p, int c, const char *where);
bool tok_expect_ident(struct ptx_parser *p, const char *what, struct token *out);
/* Returns true if the current token is .word, or the identifier `word`. */
bool tok_is_dot(const struct ptx_parser *p, const char *word);
bool tok_is_ident(const struct ptx_parser *p, const char *word);
bool parse_error(struct ptx_parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool parse_error_at(struct ptx_parser *p, const struct token *t, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Reports "expected WHAT, found ..." at the current token; returns false. */
bool parse_expected(struct ptx_parser *p, const char *what);
/* Skips to the end of a statement: after `;`, or before `{` or `}`. */
void parse_resync(struct ptx_parser *p);
/* parses a directive that is allowed everywhere; *known: the token is one */
bool parse_common_directive(struct ptx_parser *p, bool *known);
char *token_string(struct ptx_parser *p, const struct token *t); /* in the module's arena */

/* ---- scope.c ---- */
bool scope_push(struct ptx_parser *p);
void scope_pop(struct ptx_parser *p);
void scope_free(struct ptx_parser *p);
void scope_bind_sregs(struct ptx_parser *p);
struct name *name_intern(struct ptx_parser *p, const char *s, uint32_t len);
/* Declares the name in the innermost scope. NULL, with an error: the scope has the name already. */
struct binding *name_bind(struct ptx_parser *p, const struct token *t, enum chain c,
			  enum bind_kind k);
/* returns the binding of a name; NULL: none */
struct binding *name_find(struct ptx_parser *p, const char *s, uint32_t len);
bool name_undefined(struct ptx_parser *p, const struct token *t);
uint32_t reg_new(struct ptx_parser *p, const char *name, uint32_t len, enum type type,
		 unsigned vec);
uint32_t label_ref(struct ptx_parser *p, const struct token *t);
bool label_define(struct ptx_parser *p, const struct token *t, uint32_t *id);
uint32_t label_pc(const struct ptx_parser *p, uint32_t id);

/* ---- expr.c ---- */
struct cval {         /* a constant: INT as s64 or u64, the bits of an f32 or f64 */
	uint8_t kind; /* TK_INT, TK_F32, TK_F64 */
	bool is_unsigned;
	uint64_t u;
};
bool parse_expr(struct ptx_parser *p, struct cval *v);
/* Parses an integer from 0 to max. */
bool parse_count(struct ptx_parser *p, const char *what, uint64_t max, uint64_t *out);
bool tok_is_expr(struct ptx_parser *p); /* true if the current token begins a constant expression */
/* Converts the constant to the bits of a value of `type`; false if the type has no such value. */
bool cval_bits(const struct cval *v, enum type type, uint64_t *bits);

/* ---- vars.c ---- */
struct decl { /* the part of a declaration before the names */
	uint8_t linkage, space, type, vec, ptr_space;
	bool managed, ptr, tex;
	uint32_t align; /* 0: natural */
};
/* returns the space SP_* if the .word begins a declaration of variables in that space; -1: another
 * word */
int space_of(const struct token *t);
bool parse_decl_head(struct ptx_parser *p, struct decl *d);
bool parse_attribute(struct ptx_parser *p, struct decl *d); /* parses the rest of .attribute */
/* Parses one name with its dimensions, without binding it. */
bool parse_declarator(struct ptx_parser *p, const struct decl *d, struct token *name,
		      struct var **out, uint64_t *dims, unsigned *ndims);
bool parse_reg(struct ptx_parser *p);
/* parses a declaration from the space to `;` */
bool parse_vars(struct ptx_parser *p, enum linkage linkage);
bool frame_alloc(struct ptx_parser *p, struct var *v, const struct token *at);
struct var *var_new(struct ptx_parser *p, const struct decl *d, const struct token *name);

/* ---- init.c ---- */
bool parse_init(struct ptx_parser *p, struct var *v, const uint64_t *dims, unsigned ndims,
		unsigned elem);
void resolve_late(struct ptx_parser *p);

/* ---- func.c ---- */
bool parse_func(struct ptx_parser *p, enum linkage linkage, bool entry);
bool parse_proto(struct ptx_parser *p, struct proto *out, struct token *name);

/* ---- stmt.c ---- */
bool parse_statement(struct ptx_parser *p); /* label or instruction */
/* Decodes a statement and appends its instruction. */
bool stmt_emit(struct ptx_parser *p, const struct ptx_stmt *s);

/* ---- operand.c ---- */
bool parse_operands(struct ptx_parser *p, struct ptx_stmt *s);
/* allocates n operands; NULL, with an error: too many */
struct ptx_opnd *opnd_array(struct ptx_parser *p, unsigned n);

/* ---- callreg.c ---- */
bool stmt_emit_call(struct ptx_parser *p, struct ptx_stmt *s);
bool stmt_emit_ret(struct ptx_parser *p, const struct ptx_stmt *s);
bool stmt_emit_prologue(struct ptx_parser *p);

#endif
