/* What clang is told: the options of each pass over a CUDA source. Each function adds to a command. */
#ifndef NVCC_FLAGS_H
#define NVCC_FLAGS_H
#include "nvcc/cc.h"

/* The compiler, what it is told for any source, and the language. */
void cc_cuda_flags(const struct cc *cc, struct words *w, const char *std);
/* Device code for a program that is compiled elsewhere. */
bool cc_is_alone(const struct cc *cc);
/* The macros of the command line again: a source with inlined includes still has its #ifs. One whose macros are
 * expanded has CUDA's qualifiers as words, for the edits, and gets them here. */
void cc_macro_flags(const struct cc *cc, struct words *w);
/* The command line's macros and folders, then our headers, then the toolkit's: its structures
 * belong to another version of the runtime than the program gets. */
void cc_path_flags(const struct cc *cc, struct words *w);
/* Folders, the header that every source has before its own, and our macros. */
void cc_include_flags(const struct cc *cc, struct words *w);
/* The device pass: what it compiles for, and how exactly. */
void cc_device_flags(const struct cc *cc, struct words *w);
/* The host compiler's options that clang must not see twice or would misunderstand. */
void cc_host_flags(const struct cc *cc, struct words *w);
/* A number on which both passes agree and which differs between files. */
void cc_unit_id(const struct cc *cc, struct words *w, const char *path, const char *out);
/* -G: each index into an array of known size is compared with it and handed to the simulator if it is outside, which
 * reports it in checked runs. The driver knows no sanitizer for PTX, its compiler does. */
void cc_index_checks(struct words *w);
/* Messages of a run name the line that allocated memory, so objects have line tables. They are in
 * DWARF 4, because addr2line of binutils 2.40 misreads file numbers of DWARF 5, and without the
 * temporary folder, which differs from build to build. -cuda has none: gcc's assembler does not
 * know clang's directives. */
void cc_line_tables(const struct cc *cc, struct words *w);
/* The dependency options, with the default target and file of an object. */
void cc_dependency_flags(const struct cc *cc, const char *out, struct words *deps);

#endif
