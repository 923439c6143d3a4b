/* GPU architectures of device code. Each clang version supports a range of them; a program's
 * request is moved into this range, because the simulator executes the PTX whatever its target
 * is. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"
#include "command/command.h"
#include "heddle.h"

enum {
	ARCH_DEFAULT = 700,
	PTX_SUFFIX = 80, /* first PTX version with targets that end in 'a' */
};

/* The first clang version that supports each architecture, and the PTX version that the
 * architecture needs. */
static const struct {
	int arch, clang, ptx;
} known[] = {
	{200, 3, 42},   {210, 3, 42},   {300, 3, 42},   {320, 3, 42},   {350, 3, 42},
	{370, 3, 42},   {500, 3, 42},   {520, 3, 42},   {530, 3, 42},   {600, 4, 50},
	{610, 4, 50},   {620, 4, 50},   {700, 6, 60},   {720, 7, 61},   {750, 8, 63},
	{800, 11, 70},  {860, 13, 71},  {870, 16, 74},  {890, 16, 78},  {900, 16, 78},
	{1000, 20, 86}, {1010, 20, 86}, {1030, 21, 88}, {1200, 20, 87}, {1210, 21, 88},
};

int cc_arch_number(const char *s, char *suffix)
{
	while (*s == ' ')
		s++;
	if (!strncmp(s, "sm_", 3) || !strncmp(s, "lto_", 4))
		s = strchr(s, '_') + 1;
	else if (!strncmp(s, "compute_", 8))
		s += 8;
	else
		return 0;
	if (!isdigit((unsigned char)*s))
		return 0;
	char *end;
	long n = strtol(s, &end, 10);
	if (n <= 0 || n > 10000 || (*end && !(isalpha((unsigned char)*end) && !end[1])))
		return 0;
	if (suffix)
		*suffix = *end;
	return (int)n * 10;
}

int cc_native_arch(void)
{
	struct heddle *h = NULL;
	struct heddle_device d;
	if (heddle_open(&h, &(struct heddle_options){0})) {
		cli_error("cc", "%s", h ? heddle_message(h) : "out of memory");
		heddle_close(h);
		return 0;
	}
	heddle_device(h, &d);
	heddle_close(h);
	return (int)(d.major * 10 + d.minor) * 10;
}

void cc_list_archs(const char *kind)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		printf("%s_%d\n", kind, known[i].arch / 10);
}

static int highest_ptx(int clang)
{
	return clang >= 22   ? 88
	       : clang >= 21 ? 87
	       : clang >= 19 ? 83
	       : clang >= 18 ? 81
	       : clang >= 16 ? 78
			     : 75;
}

int cc_arch(const struct cc *cc) { return cc->arch ? cc->arch : ARCH_DEFAULT; }

void cc_arch_flags(const struct cc *cc, struct words *w)
{
	int want = cc_arch(cc), use = known[0].arch, need = known[0].ptx;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].clang <= cc->tools.version && known[i].arch <= want) {
			use = known[i].arch;
			need = known[i].ptx;
		}
	/* PTX 7.5 has every instruction that our headers use; a later version only if the target
	 * needs it. */
	int ptx = need > 75 ? need : 75;
	bool suffix =
		cc->arch_suffix == 'a' && use == want && use >= 900 && cc->tools.version >= 18;
	if (suffix && ptx < PTX_SUFFIX)
		ptx = PTX_SUFFIX;
	if (ptx > highest_ptx(cc->tools.version))
		ptx = highest_ptx(cc->tools.version);
	words_addf(w, "--cuda-gpu-arch=sm_%d%s", use / 10, suffix ? "a" : "");
	words_add(w, "-Xclang");
	words_add(w, "-target-feature");
	words_add(w, "-Xclang");
	words_addf(w, "+ptx%d", ptx);
	/* __CUDA_ARCH__ is the requested architecture, not the nearest that clang knows */
	if (want >= 900 && use < want) {
		words_add(w, "-U__CUDA_ARCH__");
		words_addf(w, "-D__CUDA_ARCH__=%d", want);
	}
	if (want >= 900 && cc->arch_suffix) {
		words_addf(w, "-D__CUDA_ARCH_FEAT_SM%d_ALL", want / 10);
		words_addf(w, "-D__CUDA_ARCH_SPECIFIC__=%d", want);
		words_addf(w, "-D__CUDA_ARCH_FAMILY_SPECIFIC__=%d", want);
	}
	if (cc->short_pointers) {
		words_add(w, "-Xclang");
		words_add(w, "-fcuda-short-ptr");
		words_add(w, "-mllvm");
		words_add(w, "--nvptx-short-ptr");
	}
}
