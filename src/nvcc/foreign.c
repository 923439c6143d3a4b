/* Options of the host compiler that clang does not know. Makefiles write them for gcc. An option
 * that gcc knows is left out for the CUDA sources, which clang compiles, with a note; an option
 * that gcc does not know either stays an error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"

static bool host_knows(struct cc *cc, const char *option)
{
	const char *rest[] = {option, "-E", "-x", "c++", "/dev/null", "-o", "/dev/null", NULL};
	struct words w = {0};
	words_add(&w, cc->tools.cxx);
	for (const char **p = rest; *p; p++)
		words_add(&w, *p);
	char *err = cc_temp(cc, ".err");
	bool ok = cc_wait(cc, cc_start(cc, &w, err, -1));
	words_free(&w);
	free(err);
	return ok;
}

bool cc_leaves_out(struct cc *cc, const char *messages)
{
	static const char says[] = "error: unknown argument: '";
	bool found = false;
	for (const char *p = messages; (p = strstr(p, says));) {
		p += strlen(says);
		unsigned len = (unsigned)strcspn(p, "'\n");
		if (!words_have(&cc->host, p, len) || words_have(&cc->foreign, p, len))
			continue;
		char *option = cc_format("%.*s", (int)len, p);
		if (host_knows(cc, option)) {
			words_add(&cc->foreign, option);
			fprintf(stderr,
				"heddle cc: %s is unknown to clang, which compiles the "
				"CUDA sources: they are compiled without it\n",
				option);
			found = true;
		}
		free(option);
	}
	return found;
}
