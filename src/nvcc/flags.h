/* Command-line options for clang, for each pass over a CUDA source. Each function adds options to a
 * command. */
#ifndef NVCC_FLAGS_H
#define NVCC_FLAGS_H
#include "nvcc/cc.h"

/* Adds the compiler, the options for every source, and the language. */
void cc_cuda_flags(const struct cc *cc, struct words *w, const char *std);
/* True if the goal is separately compiled device code. */
bool cc_is_alone(const struct cc *cc);
/* Adds the macros of the command line for a source with inlined includes, whose #ifs are
 * unresolved. A source whose macros are expanded still has CUDA's qualifiers as words, for the
 * edits, and gets their definitions here. */
void cc_macro_flags(const struct cc *cc, struct words *w);
/* Adds the command line's macros and folders, then Heddle's headers, and only then the toolkit's,
 * whose structures belong to another version of the runtime. */
void cc_path_flags(const struct cc *cc, struct words *w);
/* Adds folders, the header that is included before the source's own headers, and Heddle's macros. */
void cc_include_flags(const struct cc *cc, struct words *w);
/* Adds options of the device pass: target and floating-point accuracy. */
void cc_device_flags(const struct cc *cc, struct words *w);
/* Adds options of the host pass, without those that clang would misunderstand. */
void cc_host_flags(const struct cc *cc, struct words *w);
/* Adds a number that is equal in both passes of a file and differs between files. */
void cc_unit_id(const struct cc *cc, struct words *w, const char *path, const char *out);
/* -G: compares each index into an array of known size with the size, and reports an index outside
 * to the simulator, which prints it in checked runs. clang's driver has no sanitizer for PTX, but
 * its compiler has. */
void cc_index_checks(struct words *w);
/* Adds line tables, because messages of a run name the line that allocated memory. They are in
 * DWARF 4, because addr2line of binutils 2.40 misreads file numbers of DWARF 5, and do not contain
 * the temporary folder, which differs from build to build. -cuda has none: gcc's assembler does not
 * know clang's directives. */
void cc_line_tables(const struct cc *cc, struct words *w);
/* Adds the dependency options, with the default target and file for an object. */
void cc_dependency_flags(const struct cc *cc, const char *out, struct words *deps);

#endif
