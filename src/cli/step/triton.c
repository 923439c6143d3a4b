/* An entry of Triton's cache: a folder with NAME.json (metadata) beside NAME.ptx and NAME.cubin.
 * The metadata contain the launch's block, shared memory and clusters, and the memory that a kernel
 * takes in addition to its arguments. Members that older versions of Triton do not write get the
 * values that those versions used. */
#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli/step/step.h"

static uint64_t read_whole(json_t *o, const char *key, uint64_t otherwise)
{
	json_t *v = json_object_get(o, key);
	return json_is_integer(v) && json_integer_value(v) >= 0 ? (uint64_t)json_integer_value(v)
								: otherwise;
}

/* True if a file of the folder is a kernel's metadata, and not Triton's list of the folder's files
 * ("__grp__NAME.json"). */
static bool is_metadata(const char *file, const char *kernel)
{
	size_t n = strlen(file);
	if (n < 6 || strcmp(file + n - 5, ".json") || !strncmp(file, "__grp__", 7))
		return false;
	return !kernel || (strlen(kernel) == n - 5 && !strncmp(file, kernel, n - 5));
}

/* NAME of the only kernel, or of the named one, malloc'ed; NULL: already reported. */
static char *find_entry(const struct step *s, const char *folder, const char *kernel,
			const char *where)
{
	DIR *d = opendir(folder);
	char *found = NULL;
	unsigned n = 0;
	if (!d) {
		cli_error("run", "%s: %s: %s cannot be opened; expected a folder of Triton's cache",
			  s->name, where, folder);
		return NULL;
	}
	for (struct dirent *e; (e = readdir(d));)
		if (is_metadata(e->d_name, kernel) && !n++)
			found = strndup(e->d_name, strlen(e->d_name) - 5);
	closedir(d);
	if (n == 1)
		return found;
	free(found);
	cli_error("run", "%s: %s: %s has %s; expected NAME.json beside NAME.ptx or NAME.cubin",
		  s->name, where, folder,
		  n        ? "several kernels; \"kernel\" must choose one"
		  : kernel ? "no such kernel"
			   : "no kernel");
	return NULL;
}

/* Integers of a list, at most `most`; how many. */
static unsigned take_integers(json_t *list, uint32_t *out, unsigned most)
{
	unsigned n = 0;
	json_t *v;
	size_t i;
	json_array_foreach (list, i, v)
		if (n < most && json_is_integer(v))
			out[n++] = (uint32_t)json_integer_value(v);
	return n;
}

/* Number of an element type in the driver's tensor maps. Triton's metadata have the number that
 * tensormap.replace uses, which orders float32 with flush to zero, float64 and bfloat16 in another
 * way. */
static unsigned driver_element_type(uint64_t number)
{
	static const unsigned reordered[] = {10, 8, 9};
	return number >= 8 && number <= 10 ? reordered[number - 8] : (unsigned)number;
}

/* Triton before 3.4 passes a descriptor alone, and its metadata do not describe it. */
static bool take_maps(struct step_launch *l, json_t *list)
{
	json_t *v;
	size_t i;
	l->has_shapes = json_is_array(list);
	l->map = calloc(json_array_size(list) + 1, sizeof *l->map);
	if (!l->map)
		return false;
	json_array_foreach (list, i, v) {
		struct step_map *m = &l->map[l->nmaps++];
		m->swizzle = (unsigned)read_whole(v, "swizzle", 0);
		m->element_size = (unsigned)read_whole(v, "elem_size", 0);
		m->element_type = driver_element_type(read_whole(v, "elem_type", 0));
		m->unsupported = json_is_true(json_object_get(v, "fp4_padded"))  ? "padded fp4"
				 : json_is_true(json_object_get(v, "is_im2col")) ? "im2col"
										 : NULL;
		m->nbox = take_integers(json_object_get(v, "block_size"), m->box, 5);
	}
	return true;
}

static bool is_within(const json_t *v, uint64_t most)
{
	return json_is_integer(v) && json_integer_value(v) >= 0 &&
	       (uint64_t)json_integer_value(v) <= most;
}

/* Checks the members that take_facts() reads; an absent one, or null, is fine. */
static bool check_facts(const char *path, json_t *o)
{
	static const struct {
		const char *key;
		uint64_t most;
	} rows[] = {{"num_warps", 1024},
		    {"warp_size", 1024},
		    {"num_ctas", 1024},
		    {"shared", 1u << 30},
		    {"global_scratch_size", 1ull << 40},
		    {"global_scratch_align", 1u << 30},
		    {"profile_scratch_size", 1ull << 40},
		    {"profile_scratch_align", 1u << 30}};
	json_t *dims = json_object_get(o, "cluster_dims"), *v;
	size_t i;
	bool ok = true;
	for (i = 0; i < sizeof rows / sizeof *rows && ok; i++) {
		v = json_object_get(o, rows[i].key);
		if (!v || json_is_null(v) || is_within(v, rows[i].most))
			continue;
		cli_error("run", "%s: \"%s\": expected an integer from 0 to %llu", path,
			  rows[i].key, (unsigned long long)rows[i].most);
		return false;
	}
	v = json_object_get(json_object_get(o, "target"), "warp_size");
	if (v && !json_is_null(v) && !is_within(v, 1024)) {
		cli_error("run", "%s: \"target.warp_size\": expected an integer from 0 to 1024",
			  path);
		return false;
	}
	ok = !dims || json_is_null(dims) || json_is_array(dims);
	json_array_foreach (dims, i, v)
		ok = ok && is_within(v, 1024);
	if (!ok)
		cli_error("run", "%s: \"cluster_dims\": expected integers from 0 to 1024", path);
	return ok;
}

static bool take_facts(struct step_launch *l, json_t *o)
{
	bool fits = true;
	json_t *target = json_object_get(o, "target"), *dims = json_object_get(o, "cluster_dims");
	uint64_t warp = read_whole(json_is_object(target) ? target : o, "warp_size", 32);
	if (!l->block[0]) {
		l->block[0] = (uint32_t)(read_whole(o, "num_warps", 4) * warp);
		l->block[1] = l->block[2] = 1;
	}
	if (!l->shared)
		l->shared = read_whole(o, "shared", 0);
	uint32_t cluster[3] = {1, 1, 1};
	/* A Triton program of several blocks is one cluster: the grid counts programs. */
	if (take_integers(dims, cluster, 3) < 3 || cluster[0] * cluster[1] * cluster[2] <= 1)
		cluster[0] = (uint32_t)read_whole(o, "num_ctas", 1), cluster[1] = cluster[2] = 1;
	if (!l->cluster[0] && cluster[0] * cluster[1] * cluster[2] > 1) {
		memcpy(l->cluster, cluster, sizeof l->cluster);
		for (unsigned i = 0; i < 3; i++)
			fits &= !__builtin_mul_overflow(l->grid[i], cluster[i], &l->grid[i]);
	}
	l->cooperative |= json_is_true(json_object_get(o, "launch_cooperative_grid"));
	/* Kernels of older versions lack one or both of the parameters. */
	l->nscratch = (json_object_get(o, "global_scratch_size") != NULL) +
		      (json_object_get(o, "profile_scratch_size") != NULL);
	l->scratch_bytes[0] = read_whole(o, "global_scratch_size", 0);
	l->scratch_align[0] = read_whole(o, "global_scratch_align", 1);
	l->scratch_bytes[1] = read_whole(o, "profile_scratch_size", 0);
	l->scratch_align[1] = read_whole(o, "profile_scratch_align", 1);
	return fits;
}

/* Chooses PTX, which runs on every machine, or with --code native the cubin that a GPU would
 * execute. */
static char *choose_code(const char *folder, const char *name, bool native)
{
	const char *const kinds[] = {native ? "cubin" : "ptx", native ? "ptx" : "cubin"};
	struct stat st;
	for (unsigned i = 0; i < 2; i++) {
		char *path = NULL;
		if (asprintf(&path, "%s/%s.%s", folder, name, kinds[i]) < 0)
			return NULL;
		if (!stat(path, &st))
			return path;
		free(path);
	}
	return NULL;
}

bool triton_read(const struct step *s, struct step_launch *l, const char *where)
{
	char *folder = step_path(s, l->triton), *path = NULL;
	char *name = folder ? find_entry(s, folder, l->kernel, where) : NULL;
	json_error_t e;
	json_t *o = NULL;
	bool ok = name && asprintf(&path, "%s/%s.json", folder, name) >= 0;
	if (ok && !(o = json_load_file(path, 0, &e))) {
		cli_error("run", "%s:%d:%d: %s", path, e.line, e.column, e.text);
		ok = false;
	}
	const char *entry = json_string_value(json_object_get(o, "name"));
	if (ok && (!entry || !*entry)) {
		cli_error("run", "%s: no \"name\"; expected the metadata of a Triton kernel", path);
		ok = false;
	}
	if (ok && !(l->file = choose_code(folder, name, s->native))) {
		cli_error("run", "%s: %s: %s has neither %s.ptx nor %s.cubin", s->name, where,
			  folder, name, name);
		ok = false;
	}
	ok = ok && check_facts(path, o);
	if (ok && !take_facts(l, o)) {
		cli_error("run",
			  "%s: %s: the grid counts clusters, and has too many blocks for one",
			  s->name, where);
		ok = false;
	}
	if (ok) {
		free(l->kernel);
		l->kernel = strdup(entry);
		ok = l->kernel && take_maps(l, json_object_get(o, "tensordesc_meta"));
	}
	json_decref(o);
	free(path);
	free(name);
	free(folder);
	return ok;
}
