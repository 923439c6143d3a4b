/*
 * `heddle cc`: CUDA programs to host objects with PTX inside, through clang.
 *
 *   options.c  nvcc's command line, a table, to struct cc
 *   tools.c    where clang, the host compiler, the headers and the device library are
 *   arch.c     which GPU architecture and PTX version to ask clang for
 *   rewrite.c  what nvcc accepts and clang does not, token by token
 *   endings.c  files with mixed ends of lines
 *   spaces.c   of that, members declared for one side and defined for another
 *   debug_info.c, inlined.c  which calls the compiler inlined, in the PTX
 *   maxreg.c   -maxrregcount
 *   statics.c  names of static variables in separately compiled code
 *   missing.c  what a header that is not there belongs to
 *   fatbin.c   the container the PTX travels in
 *   compile.c  one source to an object
 *   device_link.c  which separately compiled device code is linked, and whether it can be
 *   link.c     objects to a program, with the registration of separately compiled device code
 *   words.c    lists of strings, processes, temporary files
 */
#ifndef NVCC_CC_H
#define NVCC_CC_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include "command/command.h"

extern const struct cli_command command_cc; /* heddle cc */

/* The release of CUDA whose headers, messages and answers Heddle has. */
#define CC_CUDA_RELEASE "11.8"
#define CC_CUDA_VERSION CC_CUDA_RELEASE ".89"

/* A growing list of strings, always ended by NULL: an argument vector. */
struct words {
	char **v;
	size_t n, cap;
};
void words_add(struct words *w, const char *s);
void words_addf(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void words_add_all(struct words *w, const struct words *more);
/* Adds the parts of s between any of the separators. */
void words_split(struct words *w, const char *s, const char *seps);
/* Adds the words of a text as a shell splits them: quotes hold spaces, a backslash quotes the next
 * letter. */
void words_unquote(struct words *w, char *text);
/* Whether one of them is the text of that length. */
bool words_have(const struct words *w, const char *s, size_t len);
void words_free(struct words *w);
char *cc_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* What the command line asks for. */
/* clang-format off */
enum cc_goal { GOAL_LINK, GOAL_OBJECT, GOAL_PTX, GOAL_FATBIN, GOAL_CUBIN, GOAL_PREPROCESS, GOAL_DEPEND,
	GOAL_LIB, GOAL_DLINK, GOAL_CUDA };
/* clang-format on */
enum cc_lang { LANG_AUTO, LANG_CU, LANG_CXX, LANG_C, LANG_PTX, LANG_OBJECT };

struct cc_input {
	char *path;
	enum cc_lang lang;
};

struct cc_tools {
	char *clang; /* clang++ */
	int version;
	char *cxx, *c;              /* host compilers for .cpp and .c, also the linker */
	char *headers;              /* our CUDA headers */
	char *libdir;               /* our libcudart and libcuda; NULL: not found */
	char *bitcode;              /* device math library; NULL: none */
	bool libdevice;             /* bitcode is NVIDIA's libdevice */
	char *omp_header, *omp_lib; /* OpenMP for clang, when asked for */
};

struct cc {
	enum cc_goal goal;
	struct cc_input *in;
	size_t nin;
	char *out, *outdir, *std;
	struct words cpp;     /* -I -D -U -include -isystem: all compilers */
	struct words host;    /* to the host compilation */
	struct words foreign; /* of those, the ones that clang does not know */
	struct words device;  /* to the device compilation */
	struct words link;    /* to the linker, in order, after the inputs */
	struct words deps;    /* -MD and friends */
	int arch;             /* sm number times 10, 0: default */
	char arch_suffix;     /* 'a' of sm_90a, or 0 */
	int machine;  /* -code sm_13, sm_20: the program runs as its machine code; 0: as PTX */
	int max_regs; /* 0: no bound */
	bool fast_math, ftz, prec_div, prec_sqrt, fmad;
	bool debug, device_debug, rdc, shared, pic, verbose, dry_run, keep, openmp, lang_given;
	bool forward_unknown;
	bool short_pointers; /* addresses of shared, constant and local memory have 32 bits */
	bool incomplete; /* a device function is missing: another language standard cannot help */
	bool add_templates;     /* the source at hand lacks the keyword `template`; */
	struct words templates; /* clang asks for it before these names */
	struct words kernels;   /* and refuses the addresses of these functions, */
	/* and, where mend_calls is true, calls of these from functions of both sides, FILE:LINE:COLUMN:NAME; what is
	 * said of them, */
	bool mend_calls;
	struct words both_sides, calls_said;
	bool all_launches; /* and launches: those in macros and on both sides are edited too */
	bool run, clean, device_opt; /* -run, -clean, -dopt on */
	struct words run_args;
	char *keep_dir, *seed;
	char *ccbin;
	char *home; /* the CUDA home in which this program is bin/nvcc; NULL: none */
	struct cc_tools tools;
	char *tmp;       /* directory for intermediate files */
	unsigned serial; /* of temporary names */
};

/* Reads the command line. Returns an exit status, or -1 to go on. */
int cc_parse(struct cc *cc, int argc, char **argv);
/* Which software outside of Heddle a header or library belongs to. */
const char *cc_outside(const char *name);
/* Explains which software a missing header, function or library belongs to, if it is known. */
void cc_note_missing(const struct cc *cc, const char *messages);
/* Whether the messages are about options that only the host compiler knows; they are added to cc->foreign. */
bool cc_leaves_out(struct cc *cc, const char *messages);
/* Adds the functions that a library exports; a name with several versions occurs several times. */
void cc_exports(const char *library, struct words *names);
/* Runs a command; its messages are printed when it has ended, with what they are about. */
bool cc_run_noting(struct cc *cc, const struct words *argv);
/* True if clang refuses a launch in device code that is left as it was written. */
bool cc_refuses_launch(const char *messages);
/* True if the messages are about something missing, whatever the language standard. */
bool cc_is_missing(const char *messages);
bool cc_find_tools(struct cc *cc);
/* The file a command name stands for; malloc'ed. NULL: none. */
char *cc_in_path(const char *name);
void cc_free(struct cc *cc);
/* The architecture that the device code is for, times 10. */
int cc_arch(const struct cc *cc);
/* "sm_80", "compute_35": 800, 350; suffix may be NULL. 0: no architecture. */
int cc_arch_number(const char *s, char *suffix);
/* The architecture, times 10, of the GPU that is simulated when no machine is named. 0: its message is printed. */
int cc_native_arch(void);
/* Prints the architectures, each behind "sm" or "compute", to standard output. */
void cc_list_archs(const char *kind);
/* The options that choose the device architecture in this clang. */
void cc_arch_flags(const struct cc *cc, struct words *w);

/* Rewrites one preprocessed source (with includes inlined) for clang; result is malloc'ed. */
struct cc_rewrite {
	bool host;           /* for the host pass */
	bool both;           /* launches in functions of both sides are the device's */
	bool alone;          /* device code for a program that is compiled elsewhere */
	bool noinline_token; /* the compiler does not know __noinline__ */
	bool elements;       /* -G: check references to elements */
	/* NULL, or: `template` is missing before members, also before these names */
	const struct words *templates;
	/* NULL, or: the device's pass has only a stop in these functions */
	const struct words *both_sides;
	const struct words *kernels; /* NULL, or: addresses of these are taken on the wrong side */
};
char *cc_rewrite(const char *src, size_t n, const struct cc_rewrite *how, size_t *outn);

/* Where files with mixed ends of lines are in a source with its includes inlined: the list of copies that stand for them, for
 * -ivfsoverlay. NULL: there are none. */
char *cc_even_endings(struct cc *cc, const char *text);
/* Writes a name as such lists have it. */
void cc_quote(FILE *f, const char *s);

/* Whether clang's messages are of functions of the host that functions of both sides call; adds where they are
 * declared, and what is to be said of them. */
bool cc_asks_both_sides(const char *messages, struct words *places, struct words *said);
/* Whether clang's messages are of members that may need the keyword `template`; adds the names they say. */
bool cc_asks_template(const char *messages, struct words *names);

/* Whether clang's messages refuse addresses of functions other than names; adds those. */
bool cc_asks_address(const char *messages, struct words *names);

/* optimize.c: how far the device pass inlines and unrolls. EFFORT_TILES also unrolls nests of loops over
 * arrays of the thread, as far as nvcc does. */
enum cc_effort { EFFORT_USUAL, EFFORT_TILES };
void cc_optimize_flags(struct words *w, enum cc_effort effort);
/* Bytes of local memory in the frames of all functions of a PTX file. */
size_t cc_frame_bytes(const char *ptx);

/* Bounds the registers of the kernels in a PTX file as -maxrregcount says. */
bool cc_limit_registers(const struct cc *cc, const char *ptx);
/* Asks clang for what cc_inlined_calls() reads; that writes which calls the code is of. */
void cc_inlined_flags(struct words *w);
bool cc_inlined_calls(const struct cc *cc, const char *ptx);
/* Makes stores to constant memory such as fault when they are executed. */
bool cc_constant_stores(const struct cc *cc, const char *ptx);

/* Renames references to static variables to the names of their definitions. */
bool cc_join_statics(const struct cc *cc, const char *ptx);

bool cc_fatbin_write(const struct cc *cc, const char *path, const char *ptx_path);
/* Machine code of the GPUs for which Heddle makes it; for others a fat binary, which is said. */
bool cc_cubin_write(const struct cc *cc, const char *path, const char *ptx_path);

bool cc_compile(struct cc *cc, const struct cc_input *in, const char *out);
bool cc_link(struct cc *cc, const struct words *objects, const char *out);
bool cc_dlink(struct cc *cc, const struct words *objects, const char *out);

/* Separately compiled device code of objects and archives. */
#define DEVICE_REGISTER "__cudaRegisterLinkedBinary"
struct device_unit {
	char *name;                    /* file, or archive(member) */
	struct words texts, registers; /* PTX; registration functions it calls */
	bool archive;
	bool opaque; /* code that only the runtime can read */
	bool wanted; /* a part of the program */
};
struct device_units {
	struct device_unit *v;
	size_t n;
};
/* Reads the device code of objects, and of libraries that -l and -L name. */
void device_units_read(struct device_units *list, const struct words *objects,
		       const struct words *options);
/* Marks as wanted all objects, and the archive members that define what wanted units need. */
void device_units_choose(struct device_units *list);
/* Reports what is missing or defined twice. */
bool device_units_check(const struct device_units *list);
void device_units_free(struct device_units *list);

/* registration.c: compiles the registration functions of the units. apart: for -dlink, whose object
 * may be linked without the objects that it was made of. */
bool cc_registration(struct cc *cc, const struct device_units *units, bool apart, const char *out);
/* The name of the fat binary of the unit with this registration function. */
char *cc_fatbin_name(const char *registers);

/* Processes. cc_run starts one and waits; start and wait are split so that two can run at once.
 * cc_begin() before the first one; from then on SIGINT, SIGTERM and SIGHUP take effect at the next
 * wait or cc_look(), which end all that runs and remove what is temporary. cc_end() does that, too,
 * and gives the signals back. */
void cc_begin(void);
void cc_look(struct cc *cc);
void cc_end(struct cc *cc);
/* input: what the process finds under the name CC_PIPE; -1: nothing. */
enum { CC_PIPE_FD = 9 };
#define CC_PIPE "/dev/fd/9"
pid_t cc_start(const struct cc *cc, const struct words *argv, const char *errfile, int input);
bool cc_wait(struct cc *cc, pid_t pid);
bool cc_run(struct cc *cc, const struct words *argv);
char *cc_temp(struct cc *cc, const char *suffix);
char *cc_slurp(const char *path, size_t *n);
bool cc_spill(const char *path, const void *data, size_t n);
#endif
