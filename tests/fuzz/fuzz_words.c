/* Fuzz target: a chip, a word of 128 bits and a text. The word is refused with a message, or
 * printed in both styles and assembled again from the full one; the text is refused with a message,
 * or assembled and the word printed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "heddle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const chips[] = {"sm_75", "sm_80", "sm_86",  "sm_87",
				    "sm_89", "sm_90", "sm_100", "sm_120a"};

static void word_again(const char *chip, const uint64_t word[2], uint64_t pc)
{
	char plain[512] = "", full[512] = "", err[256] = "";
	uint64_t again[2];
	if (!heddle_word128(chip, word, pc, false, plain, sizeof plain)) {
		if (!plain[0])
			abort();
		return;
	}
	if (!heddle_word128(chip, word, pc, true, full, sizeof full) ||
	    !heddle_word128_assemble(chip, full, pc, again, err, sizeof err) ||
	    again[0] != word[0] || again[1] != word[1])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t word[2], pc;
	char *text, err[256] = "";
	if (size < 25)
		return 0;
	const char *chip = chips[data[0] % 8];
	memcpy(word, data + 1, 16);
	memcpy(&pc, data + 17, 8);
	word_again(chip, word, pc);
	size_t n = size - 25;
	if (!(text = malloc(n + 1)))
		return 0;
	memcpy(text, data + 25, n);
	text[n] = 0;
	if (heddle_word128_assemble(chip, text, pc, word, err, sizeof err))
		word_again(chip, word, pc);
	else if (!err[0])
		abort();
	free(text);
	return 0;
}
