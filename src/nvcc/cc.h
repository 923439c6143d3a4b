/* `heddle cc`: CUDA programs to host objects with PTX inside, through clang.
 *
 *   options.c  nvcc's command line, a table, to struct cc
 *   tools.c    where clang, the host compiler, the headers and the device library are found
 *   arch.c     which GPU architecture and PTX version to ask clang for
 *   rewrite.c  edits of CUDA that nvcc accepts and clang does not, token by token
 *   endings.c  files with mixed line endings
 *   spaces.c   edits of members declared for one side and defined for another
 *   debug_info.c, inlined.c  inlined calls, as .loc directives of the PTX
 *   maxreg.c   -maxrregcount
 *   statics.c  names of static variables in separately compiled code
 *   missing.c  the software that a missing header belongs to
 *   fatbin.c   the container for PTX
 *   compile.c  one source to an object
 *   device_link.c  chooses and checks the separately compiled device code of a program
 *   link.c     objects to a program, with the registration of separately compiled device code
 *   words.c    lists of strings, processes, temporary files */
#ifndef NVCC_CC_H
#define NVCC_CC_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include "command/command.h"

extern const struct cli_command command_cc; /* `heddle cc` */

/* The CUDA release that Heddle's headers, messages and answers follow. */
#define CC_CUDA_RELEASE "11.8"
#define CC_CUDA_VERSION CC_CUDA_RELEASE ".89"

/* A growing, NULL-terminated list of strings, such as an argument vector. */
struct words {
	char **v;
	size_t n, cap;
};
void words_add(struct words *w, const char *s);
void words_addf(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void words_add_all(struct words *w, const struct words *more);
/* Adds the parts of s between separators, which are the characters of seps. */
void words_split(struct words *w, const char *s, const char *seps);
/* Adds the words of a text as a shell splits them: quotes hold spaces, a backslash quotes the next
 * letter. */
void words_unquote(struct words *w, char *text);
/* True if the list contains the len characters at s. */
bool words_have(const struct words *w, const char *s, size_t len);
void words_free(struct words *w);
char *cc_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The request of the command line: its goal and its inputs. */
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
	char *clang; /* path of clang++ */
	int version;
	char *cxx, *c;  /* host compilers for .cpp and .c; also the linker */
	char *headers;  /* folder of our CUDA headers */
	char *libdir;   /* folder of our libcudart and libcuda; NULL: not found */
	char *bitcode;  /* device math library; NULL: none */
	bool libdevice; /* bitcode is NVIDIA's libdevice */
	/* OpenMP's header folder and library for clang; NULL: not requested */
	char *omp_header, *omp_lib;
};

struct cc {
	enum cc_goal goal;
	struct cc_input *in;
	size_t nin;
	char *out, *outdir, *std;
	struct words cpp;     /* -I -D -U -include -isystem, for all compilers */
	struct words host;    /* options for the host compilation */
	struct words foreign; /* options in `host` that clang does not know */
	struct words device;  /* options for the device compilation */
	struct words link;    /* options for the linker, in order, after the inputs */
	struct words deps;    /* -MD and related options */
	int arch;             /* sm number times 10; 0: default */
	char arch_suffix;     /* 'a' of sm_90a; 0: none */
	int machine;  /* -code sm_13, sm_20: GPU whose machine code the program runs as; 0: PTX */
	int max_regs; /* -maxrregcount; 0: no limit */
	bool fast_math, ftz, prec_div, prec_sqrt, fmad;
	bool debug, device_debug, rdc, shared, pic, verbose, dry_run, keep, openmp, lang_given;
	bool forward_unknown;
	bool short_pointers; /* addresses of shared, constant and local memory have 32 bits */
	/* a device function is missing, for which another language standard is no remedy */
	bool incomplete;
	bool add_templates;     /* the current source lacks the keyword `template` before members */
	struct words templates; /* names of members that need the keyword `template` */
	struct words places;    /* edits for places.c, FILE:LINE:COLUMN:EDIT */
	struct words kernels;   /* kernels whose addresses clang refuses */
	/* mend_calls: some host functions are called by functions of both sides, which clang
	 * refuses. The lists: the functions as FILE:LINE:COLUMN:NAME, and the warnings about the
	 * calls. */
	bool mend_calls;
	struct words both_sides, calls_said;
	bool all_launches; /* edit launches in macros and in functions of both sides too */
	bool run, clean, device_opt; /* -run, -clean, -dopt on */
	struct words run_args;
	char *keep_dir, *seed;
	char *ccbin;
	char *home; /* CUDA home in which this program is bin/nvcc; NULL: none */
	struct cc_tools tools;
	char *tmp;       /* directory for intermediate files */
	unsigned serial; /* number of the next temporary file's name */
};

/* Reads the command line. Returns an exit status, or -1 to continue. */
int cc_parse(struct cc *cc, int argc, char **argv);
/* Returns the software outside of Heddle that a header or library belongs to; NULL: unknown. */
const char *cc_outside(const char *name);
/* Prints the names of the software that a missing header, function or library belongs to, if known. */
void cc_note_missing(const struct cc *cc, const char *messages);
/* True if clang's messages complain about options that only the host compiler knows; adds the
 * options to cc->foreign. */
bool cc_leaves_out(struct cc *cc, const char *messages);
/* Adds the names of the functions that a library exports; a name with several versions is added
 * several times. */
void cc_exports(const char *library, struct words *names);
/* Runs a command. After its end, prints its messages, and the software that missing names belong
 * to. */
bool cc_run_noting(struct cc *cc, const struct words *argv);
/* True if clang's messages refuse a launch in device code that has not been edited. */
bool cc_refuses_launch(const char *messages);
/* True if the messages complain about something that is missing under every language standard. */
bool cc_is_missing(const char *messages);
bool cc_find_tools(struct cc *cc);
/* Returns the path of the file that a command name stands for (malloc'ed); NULL: none. */
char *cc_in_path(const char *name);
void cc_free(struct cc *cc);
/* Returns the architecture of the device code, times 10. */
int cc_arch(const struct cc *cc);
/* Converts "sm_80", "compute_35" to 800, 350; suffix may be NULL. 0: no architecture. */
int cc_arch_number(const char *s, char *suffix);
/* Returns the architecture, times 10, of the GPU that is simulated by default. 0: an error, which
 * has been printed. */
int cc_native_arch(void);
/* Prints all architectures to standard output, each with the prefix "sm" or "compute". */
void cc_list_archs(const char *kind);
/* Adds the options that choose the device architecture, for the installed version of clang. */
void cc_arch_flags(const struct cc *cc, struct words *w);

/* Rewrites one preprocessed source (with includes inlined) for clang; the result is malloc'ed. */
struct cc_rewrite {
	bool host; /* the text is for the host pass */
	/* true: launches in functions of both sides are edited like launches in device functions */
	bool both;
	bool alone;          /* device code for a program that is compiled separately */
	bool noinline_token; /* the compiler does not know __noinline__ */
	bool elements;       /* -G: check references to elements */
	/* names of members that need `template` before them; NULL: none */
	const struct words *templates;
	const struct words *places; /* what places.c edits, FILE:LINE:COLUMN:EDIT; NULL: nothing */
	/* host functions that only stop the thread in the device pass; NULL: none */
	const struct words *both_sides;
	/* kernels whose addresses are taken on the wrong side; NULL: none */
	const struct words *kernels;
};
char *cc_rewrite(const char *src, size_t n, const struct cc_rewrite *how, size_t *outn);

/* Copies the files with mixed line endings of a source with inlined includes, and returns the list
 * of copies for -ivfsoverlay. NULL: there are no such files. */
char *cc_even_endings(struct cc *cc, const char *text);
/* Writes a name quoted as the list of cc_even_endings() needs it. */
void cc_quote(FILE *f, const char *s);

/* True if clang's messages complain about host functions that functions of both sides call; adds
 * the positions of their declarations, and a warning for each. */
bool cc_asks_both_sides(const char *messages, struct words *places, struct words *said);
/* True if clang's messages complain about members that may lack the keyword `template`; adds the
 * members' names. */
bool cc_asks_template(const char *messages, struct words *names);
/* True if clang's messages name positions that places.c can edit under that language standard; adds
 * the positions and the edits. */
bool cc_asks_places(const char *messages, const char *std, struct words *places);

/* Returns the beginning of the line of messages that contains p: FILE:LINE:COLUMN: ... */
const char *cc_message_line(const char *messages, const char *p);
/* Returns the length of FILE:LINE at the line's beginning (column: of FILE:LINE:COLUMN); 0: the
 * line begins differently. */
size_t cc_place_length(const char *line, bool column);

/* True if clang's messages refuse addresses of functions that are not yet in `names`; adds the
 * functions. */
bool cc_asks_address(const char *messages, struct words *names);

/* optimize.c: how far the device pass inlines and unrolls. EFFORT_TILES: also unrolls nests of
 * loops over arrays of the thread, as nvcc does. */
enum cc_effort { EFFORT_USUAL, EFFORT_TILES };
void cc_optimize_flags(struct words *w, enum cc_effort effort);
/* Returns the bytes of local memory in the frames of all functions of a PTX file. */
size_t cc_frame_bytes(const char *ptx);

/* Limits the registers of the kernels in a PTX file to -maxrregcount. */
bool cc_limit_registers(const struct cc *cc, const char *ptx);
/* Writes the dimensions of clusters that rw_cluster() has marked as directives of the kernels. */
bool cc_cluster_dims(const struct cc *cc, const char *ptx);
/* cc_inlined_flags() requests the debug information that cc_inlined_calls() reads to write the
 * inlined calls into the PTX. */
void cc_inlined_flags(struct words *w);
bool cc_inlined_calls(const struct cc *cc, const char *ptx);
/* Replaces stores to constant memory by code that faults when it is executed. */
bool cc_constant_stores(const struct cc *cc, const char *ptx);

/* Renames references to static variables to the names of their definitions. */
bool cc_join_statics(const struct cc *cc, const char *ptx);

bool cc_fatbin_write(const struct cc *cc, const char *path, const char *ptx_path);
/* Writes machine code for GPUs for which Heddle can generate it; for others a fat binary, with a
 * note. */
bool cc_cubin_write(const struct cc *cc, const char *path, const char *ptx_path);

bool cc_compile(struct cc *cc, const struct cc_input *in, const char *out);
bool cc_link(struct cc *cc, const struct words *objects, const char *out);
bool cc_dlink(struct cc *cc, const struct words *objects, const char *out);

/* Separately compiled device code of objects and archives. */
#define DEVICE_REGISTER "__cudaRegisterLinkedBinary"
struct device_unit {
	char *name; /* name of the object file, or archive(member) */
	/* texts: PTX texts; registers: registration functions that the unit calls */
	struct words texts, registers;
	bool archive;
	bool opaque; /* the code is in a form that only the runtime can read */
	bool wanted; /* the program uses the unit */
};
struct device_units {
	struct device_unit *v;
	size_t n;
};
/* Reads the device code of objects, and of libraries that -l and -L name. */
void device_units_read(struct device_units *list, const struct words *objects,
		       const struct words *options);
/* Marks as wanted all objects, and those archive members that define names which wanted units need. */
void device_units_choose(struct device_units *list);
/* Reports names that are missing or defined twice. */
bool device_units_check(const struct device_units *list);
void device_units_free(struct device_units *list);

/* Compiles the registration functions of the units (registration.c). apart: for -dlink, whose
 * object may be linked without the objects it was made from. */
bool cc_registration(struct cc *cc, const struct device_units *units, bool apart, const char *out);
/* Returns the name of the fat binary of the unit whose registration function has this name. */
char *cc_fatbin_name(const char *registers);

/* Processes. cc_run() starts a process and waits for it; cc_start() and cc_wait() are separate so
 * that two processes can run at once. Call cc_begin() before the first. From then on SIGINT,
 * SIGTERM and SIGHUP take effect at the next wait or at cc_look(), which end all processes and
 * remove temporary files. cc_end() does that too, and restores the signal handlers. */
void cc_begin(void);
void cc_look(struct cc *cc);
void cc_end(struct cc *cc);
/* input: file descriptor that the process can open under the name CC_PIPE; -1: none. */
enum { CC_PIPE_FD = 9 };
#define CC_PIPE "/dev/fd/9"
pid_t cc_start(const struct cc *cc, const struct words *argv, const char *errfile, int input);
bool cc_wait(struct cc *cc, pid_t pid);
bool cc_run(struct cc *cc, const struct words *argv);
char *cc_temp(struct cc *cc, const char *suffix);
char *cc_slurp(const char *path, size_t *n);
bool cc_spill(const char *path, const void *data, size_t n);
#endif
