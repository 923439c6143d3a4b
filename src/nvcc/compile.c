/* One source file to an object. A CUDA source goes through clang twice, at the same time:
 *
 * 	x.cu --prepare--> clang, device --> PTX --> fat binary
 * 	                                                | pipe
 * 	x.cu --prepare--> clang, host -------------> x.o, fat binary embedded
 *
 * prepare_source() inlines the includes (-frewrite-includes) and rewrites the text where clang is
 * stricter than nvcc. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "nvcc/flags.h"
#include "command/command.h"
#include "heddle.h"

/* Language standards in the order in which they are tried. Old programs fail with C++17, so C++14
 * comes first. */
static const char *const fallback_std[] = {"gnu++14", "gnu++17", "gnu++20"};

/* Returns the standard that -std names; NULL: none, or a standard of C, which is for .c files. */
static const char *asked_std(const struct cc *cc)
{
	return cc->std && strstr(cc->std, "++") ? cc->std : NULL;
}

/* Finds another compiler's omp.h. The rest of its folder must not be searched, so the header alone
 * is mapped to a separate folder. Dependencies name the original header. */
static void provide_openmp(struct cc *cc)
{
	if (!cc->openmp || !cc->tools.omp_header)
		return;
	free(cc_temp(cc, ""));
	char *path = cc_format("%s/openmp.overlay", cc->tmp);
	char *folder = cc_format("%s/openmp", cc->tmp);
	FILE *f = fopen(path, "w");
	if (f) {
		fputs("{\"version\": 0, \"roots\": [{\"type\": \"directory\", \"name\": ", f);
		cc_quote(f, folder);
		fputs(", \"contents\": [{\"type\": \"file\", \"name\": \"omp.h\", "
		      "\"external-contents\": ",
		      f);
		cc_quote(f, cc->tools.omp_header);
		fputs("}]}]}\n", f);
	}
	if (!f || fclose(f))
		cli_error("cc", "cannot provide omp.h");
	free(folder);
	free(path);
}

/* Adds options under which macros are expanded except the qualifiers of functions and variables,
 * which the search for launches needs. Each qualifier is defined as itself, because headers test
 * whether it is a macro. */
static void keep_qualifiers(struct words *w)
{
	static const char *const name[] = {"__device__", "__host__",     "__global__",
					   "__shared__", "__constant__", "__forceinline__"};
	words_add(w, "-D__HOST_DEFINES_H__");
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		words_addf(w, "-D%s=%s", name[i], name[i]);
}

/* Inlines the includes of a source. overlay: list of files that replace others; NULL: none. */
static bool inline_includes(struct cc *cc, const struct cc_input *in, bool host, const char *std,
			    const char *errfile, const struct words *deps, const char *overlay,
			    const char *flat)
{
	struct words w = {0};
	cc_cuda_flags(cc, &w, std);
	cc_include_flags(cc, &w);
	if (host)
		cc_host_flags(cc, &w);
	else
		cc_device_flags(cc, &w);
	words_add(&w, "-E");
	if (cc->all_launches)
		keep_qualifiers(&w);
	else
		words_add(&w, "-frewrite-includes");
	if (deps)
		words_add_all(&w, deps);
	if (overlay) {
		words_add(&w, "-ivfsoverlay");
		words_add(&w, overlay);
	}
	words_add(&w, "-x");
	words_add(&w, "cuda");
	words_add(&w, in->path);
	words_add(&w, "-o");
	words_add(&w, flat);
	bool ok = cc_wait(cc, cc_start(cc, &w, errfile, -1));
	words_free(&w);
	return ok;
}

/* Inlines the includes of a source and rewrites it. NULL: failed, with clang's messages in
 * errfile. */
static char *prepare_source(struct cc *cc, const struct cc_input *in, bool host, const char *std,
			    const char *errfile, const struct words *deps)
{
	char *flat = cc_temp(cc, ".flat.cu"), *ready = cc_temp(cc, host ? ".host.cu" : ".dev.cu");
	bool ok = inline_includes(cc, in, host, std, errfile, deps, NULL, flat);
	size_t n, m;
	char *text = ok && !cc->dry_run ? cc_slurp(flat, &n) : NULL;
	char *overlay = text ? cc_even_endings(cc, text) : NULL;
	if (overlay) {
		free(text);
		ok = inline_includes(cc, in, host, std, errfile, deps, overlay, flat);
		text = ok ? cc_slurp(flat, &n) : NULL;
		free(overlay);
	}
	if (text) {
		struct cc_rewrite how = {.host = host,
					 .alone = cc_is_alone(cc),
					 .both = cc->all_launches && !host,
					 .noinline_token = cc->tools.version < 15,
					 .elements = cc->device_debug && !host,
					 .templates = cc->add_templates ? &cc->templates : NULL,
					 .places = cc->places.n ? &cc->places : NULL,
					 .both_sides =
						 cc->both_sides.n && !host ? &cc->both_sides : NULL,
					 .kernels = cc->kernels.n ? &cc->kernels : NULL};
		char *out = cc_rewrite(text, n, &how, &m);
		ok = cc_spill(ready, out, m);
		free(out);
		free(text);
	}
	unlink(flat);
	free(flat);
	if (ok)
		return ready;
	free(ready);
	return NULL;
}

/* The device pass of a source, which turns its text with inlined includes into PTX. */
struct device_pass {
	const char *src, *orig; /* src: that text; orig: the file it was made from */
	const char *std, *id_of;
};

static pid_t start_device(struct cc *cc, const struct device_pass *pass, enum cc_effort effort,
			  const char *ptx, const char *errfile)
{
	bool optimize = !cc->device_debug || cc->device_opt;
	struct words w = {0};
	cc_cuda_flags(cc, &w, pass->std);
	cc_macro_flags(cc, &w);
	cc_device_flags(cc, &w);
	if (optimize)
		cc_optimize_flags(&w, effort);
	words_add_all(&w, &cc->device);
	words_add(&w, optimize ? "-O3" : "-O1");
	words_add(&w, "-gline-tables-only");
	cc_inlined_flags(&w);
	if (cc->device_debug)
		cc_index_checks(&w);
	cc_unit_id(cc, &w, pass->orig, pass->id_of);
	words_add(&w, "-S");
	if (cc->tools.bitcode) {
		words_add(&w, "-Xclang");
		words_add(&w, "-mlink-builtin-bitcode");
		words_add(&w, "-Xclang");
		words_add(&w, cc->tools.bitcode);
	}
	words_add(&w, "-x");
	words_add(&w, "cuda");
	words_add(&w, pass->src);
	words_add(&w, "-o");
	words_add(&w, ptx);
	pid_t pid = cc_start(cc, &w, errfile, -1);
	words_free(&w);
	return pid;
}

/* Compiles a second time, with more unrolling, if the PTX has local memory that may be arrays of a
 * thread: see optimize.c. Keeps the PTX with less local memory. */
static void unroll_tiles(struct cc *cc, const struct device_pass *pass, const char *ptx)
{
	size_t n, frame = cc->dry_run || cc->device_debug ? 0 : cc_frame_bytes(ptx);
	if (!frame)
		return;
	char *other = cc_temp(cc, ".tiles.ptx"), *unread = cc_temp(cc, ".err"), *text = NULL;
	if (cc_wait(cc, start_device(cc, pass, EFFORT_TILES, other, unread)) &&
	    cc_frame_bytes(other) < frame)
		text = cc_slurp(other, &n);
	if (text)
		cc_spill(ptx, text, n);
	unlink(other);
	unlink(unread);
	free(text);
	free(other);
	free(unread);
}

/* Starts the host pass. The device code comes from a pipe, or from a file (pipe -1). */
static pid_t start_host(struct cc *cc, const char *src, const char *orig, int pipe,
			const char *fatbin, const char *obj, const char *std, const char *id_of,
			const char *errfile)
{
	struct words w = {0};
	cc_cuda_flags(cc, &w, std);
	cc_macro_flags(cc, &w);
	cc_host_flags(cc, &w);
	cc_line_tables(cc, &w);
	cc_unit_id(cc, &w, orig, id_of);
	words_add(&w, "-Xclang");
	words_add(&w, "-fcuda-include-gpubinary");
	words_add(&w, "-Xclang");
	words_add(&w, pipe >= 0 ? CC_PIPE : fatbin);
	words_add(&w, cc->goal == GOAL_CUDA ? "-S" : "-c");
	if (cc->goal == GOAL_CUDA)
		words_add(&w, "-fno-addrsig"); /* directives that gcc's assembler does not know */
	words_add(&w, "-x");
	words_add(&w, "cuda");
	words_add(&w, src);
	words_add(&w, "-o");
	words_add(&w, obj);
	pid_t pid = cc_start(cc, &w, errfile, pipe);
	words_free(&w);
	return pid;
}

/* Explains clang's message about a device math library that it cannot read, such as one of a newer
 * LLVM. */
static void explain_bitcode(const struct cc *cc, const char *messages)
{
	const char *place = strstr(messages, "cannot open file '"), *lib = cc->tools.bitcode;
	if (place && lib && !strncmp(place + strlen("cannot open file '"), lib, strlen(lib)))
		cli_error(
			"cc",
			"clang %d cannot read the device math library %s; expected bitcode of LLVM %d or "
			"older (Debian: apt install libclc-%d), or HEDDLE_LIBCLC=FILE",
			cc->tools.version, lib, cc->tools.version, cc->tools.version);
}

/* Prints the messages of both passes, or of one (host NULL); an error that both passes report is
 * printed once. */
static void print_messages(const struct cc *cc, const char *device, const char *host)
{
	size_t n;
	char *s = cc_slurp(device, &n);
	bool stopped = s && strstr(s, "error:");
	if (s) {
		fwrite(s, 1, n, stderr);
		cc_note_missing(cc, s);
		explain_bitcode(cc, s);
	}
	free(s);
	s = stopped || !host ? NULL : cc_slurp(host, &n);
	if (s)
		fwrite(s, 1, n, stderr);
	free(s);
}

static size_t symbol_length(const char *p)
{
	return strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$%.");
}

/* True if no device function is undefined, which is an error of the build. Without separate
 * compilation only the device's system calls may be undefined. */
static bool is_complete(struct cc *cc, const char *ptx)
{
	size_t n;
	bool ok = true;
	char *text = cc->rdc || cc->dry_run ? NULL : cc_slurp(ptx, &n);
	for (char *p = text; p && (p = strstr(p, ".extern .func"));) {
		p += strlen(".extern .func");
		p += strspn(p, " \t\n");
		if (*p == '(')
			p += strcspn(p, ")") + 1;
		p += strspn(p, " \t\n");
		size_t len = symbol_length(p);
		if (heddle_provides(p, len))
			continue;
		cli_error("cc", "device function %.*s is used but not defined%s", (int)len, p,
			  cc->tools.bitcode ? ""
					    : "; no device math library was found (Debian: apt "
					      "install libclc-NN)");
		ok = false;
	}
	free(text);
	cc->incomplete |= !ok;
	return ok;
}

/* Completes clang's PTX: unrolled tiles, inlined calls, joined statics, register limits, shapes
 * of clusters, stores to constants. */
static bool finish_ptx(struct cc *cc, const struct device_pass *pass, const char *ptx)
{
	unroll_tiles(cc, pass, ptx);
	return is_complete(cc, ptx) && cc_inlined_calls(cc, ptx) && cc_join_statics(cc, ptx) &&
	       cc_limit_registers(cc, ptx) && cc_cluster_dims(cc, ptx) &&
	       cc_constant_stores(cc, ptx);
}

/* Compiles the device code of a source to PTX. */
static bool device_ptx(struct cc *cc, const struct cc_input *in, const char *std, const char *ptx,
		       const char *id_of, const char *errfile)
{
	char *src = prepare_source(cc, in, false, std, errfile, NULL);
	const struct device_pass pass = {src, in->path, std, id_of};
	bool ok = src && cc_wait(cc, start_device(cc, &pass, EFFORT_USUAL, ptx, errfile)) &&
		  finish_ptx(cc, &pass, ptx);
	free(src);
	return ok;
}

static void keep_ptx(const struct cc *cc, const struct cc_input *in, const char *ptx)
{
	size_t n;
	char *text = cc_slurp(ptx, &n);
	const char *slash = strrchr(in->path, '/'), *base = slash ? slash + 1 : in->path;
	char *kept = cc_format("%s%s%.*s.ptx", cc->keep_dir ? cc->keep_dir : "",
			       cc->keep_dir ? "/" : "", (int)strcspn(base, "."), base);
	if (text)
		cc_spill(kept, text, n);
	free(kept);
	free(text);
}

/* Sends the device code to the host compiler, which reads it from a pipe when it comes to the
 * registration code: until then both compilations run concurrently. If either side ends early, the
 * other does not hang. Returns true if the host compiler succeeded. */
static bool send_device_code(struct cc *cc, pid_t host, int pipe, const char *fatbin, bool ok)
{
	size_t n = 0, done = 0;
	char *data = ok ? cc_slurp(fatbin, &n) : NULL;
	while (data && done < n) {
		ssize_t w = write(pipe, data + done, n - done);
		cc_look(cc);
		if (w <= 0 && errno != EINTR)
			break;
		done += w > 0 ? (size_t)w : 0;
	}
	free(data);
	close(pipe);
	return cc_wait(cc, host);
}

/* Runs both passes concurrently with one language standard. */
static bool both_passes(struct cc *cc, const struct cc_input *in, const char *out, const char *std,
			const char *err_dev, const char *err_host)
{
	char *dev = prepare_source(cc, in, false, std, err_dev, NULL);
	if (!dev)
		return false;
	char *ptx = cc_temp(cc, ".ptx"), *fatbin = cc_temp(cc, ".fatbin");
	int pipe[2];
	const struct device_pass pass = {dev, in->path, std, out};
	pid_t device = start_device(cc, &pass, EFFORT_USUAL, ptx, err_dev), host = -1;
	struct words deps = {0};
	cc_dependency_flags(cc, out, &deps);
	char *src = prepare_source(cc, in, true, std, err_host, deps.n ? &deps : NULL);
	if (src && !cc->dry_run && !pipe2(pipe, O_CLOEXEC)) {
		host = start_host(cc, src, in->path, pipe[0], NULL, out, std, out, err_host);
		close(pipe[0]);
		if (host <= 0)
			close(pipe[1]);
	}
	bool ok = cc_wait(cc, device) && src && finish_ptx(cc, &pass, ptx);
	if (ok && !cc->dry_run)
		ok = cc_fatbin_write(cc, fatbin, ptx);
	if (ok && cc->keep)
		keep_ptx(cc, in, ptx);
	if (host > 0)
		ok = send_device_code(cc, host, pipe[1], fatbin, ok) && ok;
	else if (ok)
		ok = cc_wait(cc,
			     start_host(cc, src, in->path, -1, fatbin, out, std, out, err_host));
	words_free(&deps);
	free(dev);
	free(src);
	free(ptx);
	free(fatbin);
	return ok;
}

/* -cuda: writes a C++ source from which the host compiler makes an equivalent object. It contains
 * the host pass's assembly, one string per line. */
static bool wrap_assembly(const char *assembly, const char *out)
{
	size_t n;
	char *text = cc_slurp(assembly, &n);
	FILE *f = text ? fopen(out, "w") : NULL;
	if (!f) {
		cli_error("cc", "cannot write %s", out);
		free(text);
		return false;
	}
	fputs("__asm__(\"\\n\"\n", f);
	for (const char *p = text; *p;) {
		fputc('"', f);
		for (; *p && *p != '\n'; p++)
			fprintf(f, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
		fputs("\\n\"\n", f);
		p += *p == '\n';
	}
	fputs(");\n", f);
	free(text);
	return !fclose(f);
}

/* Packs PTX in the requested form. */
static bool pack_ptx(const struct cc *cc, const char *ptx, const char *out)
{
	return cc->goal == GOAL_PTX || cc->dry_run ||
	       (cc->goal == GOAL_FATBIN ? cc_fatbin_write : cc_cubin_write)(cc, out, ptx);
}

/* Runs both passes or one of them, depending on the goal; their messages go to err. */
static bool run_passes(struct cc *cc, const struct cc_input *in, const char *out, const char *std,
		       char *const err[2])
{
	bool ok;
	if (cc_is_alone(cc)) {
		char *ptx = cc->goal == GOAL_PTX ? strdup(out) : cc_temp(cc, ".ptx");
		ok = device_ptx(cc, in, std, ptx, out, err[0]) && pack_ptx(cc, ptx, out);
		free(ptx);
	} else if (cc->goal == GOAL_CUDA) {
		char *assembly = cc_temp(cc, ".s");
		ok = both_passes(cc, in, assembly, std, err[0], err[1]) &&
		     (cc->dry_run || wrap_assembly(assembly, out));
		free(assembly);
	} else {
		ok = both_passes(cc, in, out, std, err[0], err[1]);
	}
	return ok;
}

/* True if the messages ask for an edit that has not been tried, or for the removal of an option.
 * Launches are tried last: in macros, which are then expanded first, and in functions of both
 * sides. */
static bool lacks_edits(struct cc *cc, const char *std, char *const err[2])
{
	bool lacks = false, addresses = false, launches = false, foreign = false, calls = false;
	bool places = false;
	for (int i = 0; i < 2; i++) {
		size_t n, known = cc->templates.n;
		char *text = cc_slurp(err[i], &n);
		bool asked = text && cc_asks_template(text, &cc->templates);
		lacks |= asked && (!cc->add_templates || cc->templates.n > known);
		foreign |= text && cc_leaves_out(cc, text);
		calls |= text && cc->mend_calls &&
			 cc_asks_both_sides(text, &cc->both_sides, &cc->calls_said);
		places |= text && cc_asks_places(text, std, &cc->places);
		addresses |= text && cc_asks_address(text, &cc->kernels);
		launches |= text && cc_refuses_launch(text);
		free(text);
	}
	cc->add_templates |= lacks;
	if (lacks || places || addresses || foreign || calls)
		return true;
	launches &= !cc->all_launches;
	cc->all_launches |= launches;
	return launches;
}

/* Attempts to compile with one language standard, and repeats while the messages ask for further
 * edits. */
static bool try_standard(struct cc *cc, const struct cc_input *in, const char *out, const char *std,
			 char *const err[2])
{
	enum { ROUNDS = 8 }; /* most attempts: clang stops after 20 errors */
	bool ok = run_passes(cc, in, out, std, err);
	for (int i = 0; i < ROUNDS && !ok && lacks_edits(cc, std, err); i++)
		ok = run_passes(cc, in, out, std, err);
	return ok;
}

/* Counts the errors in the messages; -1: there is an error that no language standard repairs. */
static int count_errors(char *const err[2])
{
	int count = 0;
	for (int i = 0; i < 2 && count >= 0; i++) {
		size_t n;
		char *text = cc_slurp(err[i], &n);
		for (const char *p = text; p && (p = strstr(p, "error: ")); p++)
			count++;
		if (text && cc_is_missing(text))
			count = -1;
		free(text);
	}
	return count;
}

/* Makes the last attempt, which edits calls of host functions. The attempts with all standards have
 * been made before, because a function may belong to the host alone under one standard and to both
 * sides under another. */
static bool mend_host_calls(struct cc *cc, const struct cc_input *in, const char *out,
			    const char *std, char *const of[2])
{
	cc->mend_calls = true;
	if (!lacks_edits(cc, std, of) || !cc->both_sides.n)
		return false;
	char *err[2] = {cc_temp(cc, ".err"), cc_temp(cc, ".err")};
	bool ok = try_standard(cc, in, out, std, err);
	for (size_t i = 0; ok && i < cc->calls_said.n; i++)
		fprintf(stderr, "%s\n", cc->calls_said.v[i]);
	if (ok && !cc->dry_run)
		print_messages(cc, err[0], err[1]);
	free(err[0]);
	free(err[1]);
	return ok;
}

/* Compiles a CUDA source. With -std, uses that standard; otherwise tries one after the other until
 * one succeeds. If none does, shows the messages with the fewest errors, because the others
 * complain about a wrong language version; of equals, those of nvcc's default, C++17. */
static bool compile_cuda(struct cc *cc, const struct cc_input *in, const char *out)
{
	enum { ATTEMPTS = sizeof fallback_std / sizeof *fallback_std, DEFAULT = 1 };
	const char *std = asked_std(cc);
	char *err[ATTEMPTS][2] = {{NULL}};
	int errors[ATTEMPTS], tried = 0, said = 0;
	bool ok = false, more = true;
	provide_openmp(cc);
	signal(SIGPIPE, SIG_IGN);
	cc->add_templates = cc->all_launches = cc->mend_calls = false;
	words_free(&cc->kernels);
	words_free(&cc->places);
	words_free(&cc->both_sides);
	words_free(&cc->calls_said);
	for (; tried < ATTEMPTS && !ok && more; tried++) {
		char **e = err[tried];
		e[0] = cc_temp(cc, ".err");
		e[1] = cc_temp(cc, ".err");
		ok = try_standard(cc, in, out, std ? std : fallback_std[tried], e);
		errors[tried] = ok ? 0 : count_errors(e);
		more = !std && !cc->incomplete && errors[tried] >= 0;
		if (ok || errors[tried] < errors[said] ||
		    (errors[tried] == errors[said] && tried == DEFAULT))
			said = tried;
	}
	bool mended = !ok && !cc->incomplete &&
		      mend_host_calls(cc, in, out, std ? std : fallback_std[said], err[said]);
	if (!cc->dry_run && !mended)
		print_messages(cc, err[said][0], err[said][1]);
	for (int i = 0; i < tried; i++) {
		free(err[i][0]);
		free(err[i][1]);
	}
	return ok || mended;
}

static bool compile_host(struct cc *cc, const struct cc_input *in, const char *out)
{
	struct words w = {0};
	bool cxx = in->lang == LANG_CXX;
	words_add(&w, cxx ? cc->tools.cxx : cc->tools.c);
	words_add(&w, "-c");
	words_add(&w, "-fsigned-char");
	words_add(&w, "-ffp-contract=off");
	/* old C programs rely on constructs that compilers now refuse */
	if (!cxx) {
		words_add(&w, "-Wno-error=implicit-function-declaration");
		words_add(&w, "-Wno-error=implicit-int");
		words_add(&w, "-Wno-error=int-conversion");
		words_add(&w, "-Wno-error=incompatible-pointer-types");
	}
	if (cc->std && cxx == (strstr(cc->std, "++") != NULL))
		words_addf(&w, "-std=%s", cc->std);
	words_add_all(&w, &cc->host);
	if (cc->pic || cc->shared)
		words_add(&w, "-fPIC");
	if (cc->openmp)
		words_add(&w, "-fopenmp");
	cc_path_flags(cc, &w);
	words_add_all(&w, &cc->deps);
	words_add(&w, "-x");
	words_add(&w, cxx ? "c++" : "c");
	words_add(&w, in->path);
	words_add(&w, "-o");
	words_add(&w, out);
	char *err = cc_temp(cc, ".err");
	bool ok = cc_wait(cc, cc_start(cc, &w, err, -1));
	if (!cc->dry_run)
		print_messages(cc, err, NULL);
	words_free(&w);
	free(err);
	return ok;
}

/* -E, -M, -MM: runs clang alone, to standard output or -o. */
static bool preprocess_only(struct cc *cc, const struct cc_input *in)
{
	struct words w = {0};
	bool cuda = in->lang == LANG_CU;
	if (cuda) {
		provide_openmp(cc);
		cc_cuda_flags(cc, &w, asked_std(cc) ? asked_std(cc) : fallback_std[0]);
		cc_include_flags(cc, &w);
		words_add(&w, "--cuda-host-only");
	} else {
		words_add(&w, in->lang == LANG_C ? cc->tools.c : cc->tools.cxx);
		cc_path_flags(cc, &w);
	}
	if (cc->goal == GOAL_PREPROCESS)
		words_add(&w, "-E");
	words_add_all(&w, &cc->deps);
	words_add(&w, "-x");
	words_add(&w, cuda ? "cuda" : in->lang == LANG_C ? "c" : "c++");
	words_add(&w, in->path);
	if (cc->out) {
		words_add(&w, "-o");
		words_add(&w, cc->out);
	}
	bool ok = cc_run(cc, &w);
	words_free(&w);
	return ok;
}

bool cc_compile(struct cc *cc, const struct cc_input *in, const char *out)
{
	if (access(in->path, R_OK) && !cc->dry_run) {
		cli_error("cc", "cannot read %s", in->path);
		return false;
	}
	if (in->lang == LANG_PTX) {
		if (cc->goal == GOAL_FATBIN || cc->goal == GOAL_CUBIN)
			return pack_ptx(cc, in->path, out);
		cli_error(
			"cc",
			"%s: PTX becomes a fat binary (-fatbin) or machine code (-cubin); a program loads it as it is",
			in->path);
		return false;
	}
	if (cc->goal == GOAL_PREPROCESS || cc->goal == GOAL_DEPEND)
		return preprocess_only(cc, in);
	return in->lang == LANG_CU ? compile_cuda(cc, in, out) : compile_host(cc, in, out);
}
