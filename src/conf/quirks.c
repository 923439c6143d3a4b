#include "conf/quirks.h"

#include <string.h>

enum group { GPGPU_SIM, PAPER };

static const struct row {
	const char *name;
	enum group group;
	const char *option,
		*value; /* option and value of an earlier version that meant this quirk */
	const char *hardware, *imitated, *source;
} rows[] = {
#define QUIRK(id, name, group, option, value, hardware, imitated, source)                          \
	{name, group, option, value, hardware, imitated, source},
#include "conf/quirks.def"
#undef QUIRK
};
_Static_assert(QUIRK_COUNT <= 32, "a set is 32 bits");

static uint32_t set_of(enum group group)
{
	uint32_t set = 0;
	for (unsigned i = 0; i < QUIRK_COUNT; i++)
		set |= (uint32_t)(rows[i].group == group) << i;
	return set;
}

static bool is_word(const char *word, size_t n, const char *name)
{
	return strlen(name) == n && !memcmp(word, name, n);
}

/* Sets *set to the quirks that a word names; false: unknown word. */
static bool read_word(const char *word, size_t n, uint32_t *set)
{
	*set = 0;
	if (is_word(word, n, "none"))
		return true;
	if (is_word(word, n, "gpgpu-sim"))
		*set = set_of(GPGPU_SIM);
	for (unsigned i = 0; i < QUIRK_COUNT; i++)
		*set |= (uint32_t)is_word(word, n, rows[i].name) << i;
	return *set;
}

bool quirks_read(uint32_t *set, const char *text, char *bad, size_t n)
{
	uint32_t now = *text == '+' || *text == '-' ? *set : 0, word;
	for (const char *p = text;; p++) {
		char sign = *p == '+' || *p == '-' ? *p++ : '+';
		size_t length = strcspn(p, ",");
		if (!read_word(p, length, &word)) {
			snprintf(bad, n, "%.*s", (int)length, p);
			return false;
		}
		now = sign == '-' ? now & ~word : now | word;
		p += length;
		if (!*p)
			break;
	}
	*set = now;
	return true;
}

static void append_word(char *buf, size_t n, const char *before, const char *word)
{
	size_t at = strlen(buf);
	snprintf(buf + at, n - at, "%s%s%s", at ? "," : "", before, word);
}

void quirks_print(uint32_t set, char *buf, size_t n)
{
	uint32_t all = set_of(GPGPU_SIM);
	bool most = 2 * __builtin_popcount(set & all) > __builtin_popcount(all);
	uint32_t listed =
		most ? set ^ all
		     : set; /* bits listed after the group's name, with a minus sign if `most` */
	*buf = 0;
	if (most)
		append_word(buf, n, "", "gpgpu-sim");
	for (unsigned i = 0; i < QUIRK_COUNT; i++)
		if (listed >> i & 1)
			append_word(buf, n, set >> i & 1 ? "" : "-", rows[i].name);
	if (!*buf)
		append_word(buf, n, "", "none");
}

const char *quirks_words(void)
{
	return "none|gpgpu-sim"
#define QUIRK(id, name, group, option, value, hardware, imitated, source) "|" name
#include "conf/quirks.def"
#undef QUIRK
		;
}

bool quirk_of_option(const char *key, char *buf, size_t n)
{
	for (unsigned i = 0; i < QUIRK_COUNT; i++)
		if (!strcmp(rows[i].option, key)) {
			snprintf(buf, n, "for %s = %s write sm.quirks = +%s, for hardware -%s", key,
				 rows[i].value, rows[i].name, rows[i].name);
			return true;
		}
	return false;
}

void quirks_print_manual(FILE *f)
{
	fprintf(f, "| quirk | hardware | imitated | source |\n| --- | --- | --- | --- |\n");
	for (unsigned i = 0; i < QUIRK_COUNT; i++)
		fprintf(f, "| %s | %s | %s | %s |\n", rows[i].name, rows[i].hardware,
			rows[i].imitated, rows[i].source);
}

void quirks_explain(FILE *f)
{
	fprintf(f, "  a list of these, gpgpu-sim for all of that simulator, -NAME without one\n");
	for (unsigned i = 0; i < QUIRK_COUNT; i++)
		fprintf(f, "  %s (%s)\n    hardware: %s\n    imitated: %s\n", rows[i].name,
			rows[i].source, rows[i].hardware, rows[i].imitated);
}
