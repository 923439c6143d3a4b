/* PTX tokens. The lexer never fails: text that it cannot read becomes a TK_BAD token with the
 * reason, and lexing continues after it. No byte at or beyond `end` is read. */
#ifndef FRONT_PTX_LEX_H
#define FRONT_PTX_LEX_H
#include <stdbool.h>
#include <stdint.h>

enum token_kind {
	TK_EOF,
	TK_BAD,    /* text that is no token; why: the message */
	TK_IDENT,  /* name, %name, $name, _ */
	TK_DOT,    /* .word: s and len without the dot; "L2::128B" is one word */
	TK_INT,    /* u, is_unsigned */
	TK_F32,    /* u: bits of a 0f literal */
	TK_F64,    /* u: bits of a 0d literal or of a decimal one */
	TK_STRING, /* s and len without the quotes, escapes as written */
	TK_PUNCT,  /* punct: the character, or P_* */
};

enum { P_SHL = 256, P_SHR, P_LE, P_GE, P_EQ, P_NE, P_ANDAND, P_OROR };

struct token {
	uint8_t kind;
	bool is_unsigned; /* TK_INT: U suffix, or a value beyond s64 */
	bool tight;       /* no blank before the token */
	uint16_t punct;
	uint32_t len, line, col;
	const char *s;
	const char *why;
	uint64_t u;
};

struct lexer {
	const char *p, *end, *line_start;
	uint32_t line;
};

void lex_init(struct lexer *l, const char *text, const char *end);
void lex_next(struct lexer *l, struct token *t);

#endif
