/* Programs: modules that compilers register or programs load, their kernels and variables, and
 * launches. A module is loaded when one of its names is first used. */
#ifndef CUDA_PROGRAM_H
#define CUDA_PROGRAM_H
#include "cuda/process/process.h"
#include "cuda/stream/work.h"

struct kernel {
	struct module *m;
	char *name;
	/* address of the host function that stands for the kernel; NULL: none */
	const void *host;
	struct heddle_kernel *k; /* NULL: the module is not loaded */
	struct native *native;   /* native code that replaces the kernel; NULL: none (native.h) */
	struct heddle_kernel_info info;
	struct heddle_param_info *param;
	int max_dynamic, carveout, cache;
	bool launched;
	/* block size and dynamic shared memory (bytes) set by old driver calls:
	 * cuFuncSetBlockShape() and the like */
	unsigned block[3], shared;
	uint8_t args[4096];
	unsigned args_size;
	struct kernel *next;
};

enum symbol_kind { SYM_VAR, SYM_TEXTURE, SYM_SURFACE, SYM_MANAGED };
struct symbol {
	struct module *m;
	enum symbol_kind kind;
	char *name;
	const void *host;
	size_t size;
	bool norm, constant;
	int dim;
	uint64_t addr; /* device address of a variable; 0: not loaded */
	struct texref *ref;
	struct symbol *next;
};

struct module {
	struct heddle_module *m;   /* NULL: not loaded yet */
	cudaError_t failed;        /* error of a failed load; 0: none */
	const void *image;         /* fat binary that has not been read yet; NULL: none */
	const void *const *linked; /* further fat binaries of the program; NULL: none */
	struct text {
		char *data;
		size_t size;
	} * text; /* PTX texts */
	unsigned ntext;
	/* highest architecture of machine code found in an image without PTX; 0: none */
	unsigned native;
	bool read, grouped;
	bool ours;            /* `heddle cc` compiled the module or a part of it */
	struct module *group; /* the module that this one is linked into; or itself */
	struct kernel *kernels;
	struct symbol *symbols;
	struct module *next;
	bool user;    /* loaded by the program: cuModuleLoad() and the like */
	bool library; /* loaded by cuLibraryLoadData() and the like; belongs to no context */
	/* contents of the file that the module was loaded from; NULL: not loaded from a file */
	char *file;
};

/* Makes a module from the data that a compiler registers or a program loads: a fat binary's
 * wrapper, a fat binary, or PTX text (n: length of the text; 0: up to its NUL). NULL: the data are
 * none of these. */
struct module *module_new(const void *image, size_t n);
/* Adds a module of the program itself, which may request machine code (`heddle cc -code`). */
void module_register(struct module *m);
void module_add(struct module *m);
void module_remove(struct module *m);
bool module_known(const struct module *m); /* true: registered or loaded, and not removed */
cudaError_t module_load(struct module *m);
struct kernel *module_kernel(struct module *m,
			     const char *name); /* finds a kernel of a loaded module; NULL: none */
void kernel_add(struct module *m, const void *host, const char *name);
void symbol_add(struct module *m, const struct symbol *s);
cudaError_t kernel_load(struct kernel *k);
/* Returns the kernel of a registered function or of a handle; NULL: `host` is neither. */
struct kernel *kernel_known(const void *host);
cudaError_t kernel_of(const void *host, struct kernel **out); /* finds and loads a kernel */
/* finds and loads a kernel by its PTX name */
cudaError_t kernel_named(const char *name, struct kernel **out);
/* Finds and loads a variable; host: address of the host variable, or the variable's name. */
cudaError_t symbol_of(const void *host, struct symbol **out);
cudaError_t symbol_load(struct symbol *s);
/* Finds a variable of a loaded module by name. nvcc calls a static variable of a file by its plain
 * name, clang by a mangled one. Call with the device locked. */
bool symbol_find(struct heddle *h, const struct module *m, const char *name, uint64_t *addr,
		 uint64_t *size);
void modules_unload_all(void); /* cudaDeviceReset(): unloads modules without a context */

cudaError_t kernel_launch(struct kernel *k, const struct launch_conf *c, void **args,
			  const void *block);
cudaError_t kernel_work(struct kernel *k, const struct launch_conf *c, void **args,
			const void *block, struct work *out);
/* resident blocks per multiprocessor */
int occupancy(const struct kernel *k, int threads, size_t dynamic);
void func_attributes(const struct kernel *k, struct cudaFuncAttributes *a);

#endif
