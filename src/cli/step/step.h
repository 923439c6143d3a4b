/* A step: tensors, and launches of kernels on them in order, described by a JSON file or by a
 * command line with --triton. heddle run executes it without the program, library or GPU that it
 * was recorded from.
 *
 *   read.c     the file             -> struct step
 *   triton.c   Triton's cache entry -> its part of a launch
 *   tensors.c  tensors in device memory, from and to .npy files, compared with expected ones
 *   args.c     a launch's parameter block
 *   step.c     executes all of it in order
 *
 * docs/use/pytorch.md describes the format. Every message names the file and the place in it
 * ("layer.json: launches[2].args[1]"). */
#ifndef CLI_STEP_STEP_H
#define CLI_STEP_STEP_H
#include "cli/run.h"
#include "cli/step/npy.h"

struct step_tensor {
	char *name;
	char *file;        /* initial contents; NULL: zeros */
	char *save;        /* file for the contents after the launches; NULL: not saved */
	char *expect;      /* file with the expected contents; NULL: not compared */
	double rtol, atol; /* |value - expected| <= atol + rtol * |expected|; both 0: equal */
	const struct npy_type *type; /* NULL until the file is read */
	unsigned ndim;
	uint64_t shape[NPY_DIMS];
	uint64_t stride[NPY_DIMS]; /* distance in elements from one index to the next */
	bool has_shape, has_stride;
	/* device address; extent: number of elements in memory, gaps between rows included */
	uint64_t addr, extent;
	struct cli_output out;
};

enum step_arg_kind { STEP_TENSOR, STEP_BYTES, STEP_DESCRIPTOR };

struct step_arg {
	enum step_arg_kind kind;
	unsigned tensor; /* index into the step's tensors */
	uint64_t offset; /* offset in bytes from the tensor's first element */
	uint8_t *bytes;  /* STEP_BYTES, malloc'ed */
	unsigned nbytes;
	bool is_number; /* STEP_BYTES: an integer without a type; its size is the parameter's */
	int64_t number;
	/* STEP_DESCRIPTOR: a tensor map of the tensor's shape and strides. */
	uint32_t box[5];
	unsigned nbox; /* 0: given by Triton's metadata */
	int swizzle;   /* number of the driver's enumeration; negative: given by Triton's metadata,
		        * or none */
	bool nan_fill, round_tf32; /* what lies outside is NaN; float32 is read as tf32 */
	unsigned ndim;             /* dimensions of the described part; 0: the whole tensor */
	uint64_t shape[5], stride[5];
	/* STEP_DESCRIPTOR of Triton: its shape and strides are passed as parameters too. */
	bool expands;
};

struct step_launch {
	char *triton; /* folder of Triton's cache entry; NULL: `file` is the code */
	char *file;
	char *kernel; /* name of the kernel; NULL: the code has only one */
	uint32_t grid[3], block[3], cluster[3];
	uint64_t shared; /* dynamic shared memory, bytes */
	bool cooperative;
	struct step_arg *arg;
	unsigned nargs;
	/* Triton: memory that the kernel takes in addition to the program's arguments. */
	/* per block: [0] for all purposes, [1] for profiling */
	uint64_t scratch_bytes[2], scratch_align[2];
	/* number of parameters that point to it: 0 to 2, the last ones */
	unsigned nscratch;
	struct step_map { /* a tensor descriptor, in the order of arguments */
		/* numbers of the driver's enumerations; element_size: bytes, 0: the tensor's type */
		unsigned swizzle, element_size, element_type, nbox;
		uint32_t box[5];
		/* name of a kind of descriptor that is not supported; NULL: supported */
		const char *unsupported;
	} * map;
	unsigned nmaps;
	bool has_shapes; /* Triton: a descriptor is followed by the tensor's shape and strides */
};

struct step {
	const char *name; /* for messages */
	char *folder;     /* folder of relative paths: "" or "DIR/" */
	bool native;      /* prefer a cache entry's cubin to its PTX */
	struct step_tensor *tensor;
	unsigned ntensors;
	struct step_launch *launch;
	unsigned nlaunches;
};

/* True if a file's contents are a step and not a program: the first character is that of JSON's
 * objects or lists. */
bool step_is(const char *data, size_t n);
/* Reads a step (read.c). False: an error, reported; the step must be freed in both cases. */
bool step_read(struct step *s, const char *path, const char *data, size_t n, bool native);
/* One launch of a Triton cache entry from the command line. */
bool step_from_options(struct step *s, const struct run *r);
void step_free(struct step *s);
/* Returns a path of the step's file, made relative to that file's folder; malloc'ed. */
char *step_path(const struct step *s, const char *path);

/* Fills in a launch from its Triton cache entry (triton.c); l->file becomes the name of the code's
 * file. */
bool triton_read(const struct step *s, struct step_launch *l, const char *where);

/* tensors.c */
bool tensors_load(struct step *s, struct heddle *h);
/* Writes the files to be saved under temporary names; tensors_commit() renames them. */
bool tensors_save(struct step *s, struct heddle *h);
bool tensors_commit(struct step *s);
/* Compares tensors with the expected files, and prints one line per tensor; false: a tensor
 * differs, or a file cannot be read. */
bool tensors_compare(struct step *s, struct heddle *h, bool quiet);

/* args.c: the parameter block of a launch, malloc'ed; NULL: already reported. */
void *args_pack(const struct step *s, const struct step_launch *l, struct heddle *h,
		const struct heddle_kernel *k, const char *where);

/* step.c: executes the step; returns an exit status. `launch` runs one launch, interruptible by signals. */
int step_run(struct step *s, struct run *r, struct heddle *h,
	     enum heddle_status (*launch)(struct run *r, struct heddle *h));

#endif
