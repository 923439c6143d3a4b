/* nvcc's options: the rows of options.def, and the effect of each on struct cc. options.c reads the
 * command line by the rows, take.c applies them. */
#ifndef NVCC_OPTIONS_H
#define NVCC_OPTIONS_H
#include "nvcc/cc.h"

enum value {
	NONE,   /* -x */
	VALUE,  /* -x=v or -x v */
	ATTACH, /* -xv, -x=v or -x v */
	BOOLEAN /* -x, -x=true, -x=false, and "-x true" when written so */
};

/* clang-format off */
enum act {
	DROP, REFUSE, GOAL, OUT, OUTDIR, CPP, CPPPATH, STD, LANG, HOSTOPT, LINKOPT, LIBRARY, LIBPATH,
	XCOMPILER, XLINKER, ARCH, GENCODE, OPTLEVEL, DEBUG, DEVDEBUG, RDC, DEVC, SHARED, PIC, FASTMATH,
	FTZ, PRECDIV, PRECSQRT, FMAD, CCBIN, DEP, VERBOSE, DRYRUN, KEEP, RESPONSE, FORWARD, MACRO,
	MAXREGS, XPTXAS, HELP, VERSION, OPENMP, SHORTPTR, NOTE, RUN, RUNARGS, BOTH, WERROR, STREAM,
	KEEPDIR, CLEAN, DEVOPT, LISTARCH, SEED
};
/* clang-format on */

struct row {
	const char *name, *longname;
	enum value value;
	enum act act;
	long arg;
	const char *text;
};

/* Applies an option (take.c). v: its value; NULL: none. depth: nesting of response files. Returns
 * an exit status, or -1 to continue. */
int cc_take(struct cc *cc, const struct row *r, const char *v, enum cc_lang *lang, int depth);
/* Reads a list of response files, which contain options. */
int cc_take_response(struct cc *cc, const char *list, enum cc_lang *lang, int depth);
/* Applies an option of the host compiler. */
void cc_take_host(struct cc *cc, const char *s);

/* Applies a list of options (options.c). Returns an exit status, or -1 to continue. */
int cc_parse_words(struct cc *cc, int argc, char **argv, enum cc_lang *lang, int depth);
void cc_print_help(void);

#endif
