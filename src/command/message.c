/* Messages of the command on standard error: "heddle CMD: text", with control characters and broken
 * UTF-8 made visible. */
#include <stdarg.h>
#include <stdlib.h>
#include "command/command.h"

/* Returns the bytes of the UTF-8 character at s; 0: not a character. */
static size_t utf8_length(const unsigned char *s)
{
	size_t n = s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
	if (s[0] >= 0xf5)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* control characters of Latin-1 do not count */
	return n == 2 && s[0] == 0xc2 && s[1] < 0xa0 ? 0 : n;
}

void cli_print(FILE *f, const char *text)
{
	for (const unsigned char *s = (const unsigned char *)text; *s;) {
		size_t n = *s < 0x80 ? *s == '\n' || *s == '\t' || (*s >= 32 && *s != 127)
				     : utf8_length(s);
		if (n)
			fwrite(s, 1, n, f);
		else
			fprintf(f, "\\x%02x", *s);
		s += n ? n : 1;
	}
}

/* Returns the name for messages: a command that runs another one reports its errors under its own
 * name (heddle explain). */
static const char *command_name(const char *cmd)
{
	const char *name = getenv("HEDDLE_SPEAKER");
	return name && *name ? name : cmd;
}

static void print_titled(const char *cmd, const char *kind, const char *fmt, va_list ap)
{
	char *text = NULL;
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	fprintf(stderr, cmd ? "heddle %s: %s" : "heddle: %s%s", cmd ? command_name(cmd) : kind,
		cmd ? kind : "");
	cli_print(stderr, text ? text : "out of memory");
	fputc('\n', stderr);
	free(text);
}

void cli_error(const char *cmd, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	print_titled(cmd, "", fmt, ap);
	va_end(ap);
}

void cli_note(const char *cmd, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	print_titled(cmd, "note: ", fmt, ap);
	va_end(ap);
}
