/* Programs: modules as compilers register them or programs load them, their kernels and variables,
 * and launches. A module is loaded when one of its names is first used. */
#ifndef CUDA_PROGRAM_H
#define CUDA_PROGRAM_H
#include "cuda/process/process.h"
#include "cuda/stream/work.h"

struct kernel {
	struct module *m;
	char *name;
	const void *host;        /* the program's function, or NULL */
	struct heddle_kernel *k; /* after loading */
	struct native *native;   /* native code in its place, or NULL (native.h) */
	struct heddle_kernel_info info;
	struct heddle_param_info *param;
	int max_dynamic, carveout, cache;
	bool launched;
	unsigned block[3], shared; /* old driver launches: cuFuncSetBlockShape and so on */
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
	uint64_t addr; /* variables, after loading */
	struct texref *ref;
	struct symbol *next;
};

struct module {
	struct heddle_module *m;   /* loaded at first use */
	cudaError_t failed;        /* why it could not be */
	const void *image;         /* fat binary, not looked at yet; NULL: none */
	const void *const *linked; /* further ones of the same program, or NULL */
	struct text {
		char *data;
		size_t size;
	} * text; /* PTX */
	unsigned ntext;
	unsigned native; /* architecture of machine code seen in place of PTX */
	bool read, grouped;
	bool ours;            /* `heddle cc` compiled it, or a part of it */
	struct module *group; /* the module it is linked into; itself */
	struct kernel *kernels;
	struct symbol *symbols;
	struct module *next;
	bool user;    /* loaded by cuModuleLoad and so on */
	bool library; /* by cuLibraryLoadData and so on: of no context */
	char *file;   /* what a file held, or NULL */
};

/* From what a compiler registers or a program loads: wrapper, fat binary, PTX text (n: its length,
 * 0: up to its NUL). NULL: none of these. */
struct module *module_new(const void *image, size_t n);
/* Adds a module of the program itself, which may ask for machine code (`heddle cc -code`). */
void module_register(struct module *m);
void module_add(struct module *m);
void module_remove(struct module *m);
bool module_known(const struct module *m); /* registered or loaded, not removed */
cudaError_t module_load(struct module *m);
struct kernel *module_kernel(struct module *m,
			     const char *name); /* of a loaded module; NULL: none */
void kernel_add(struct module *m, const void *host, const char *name);
void symbol_add(struct module *m, const struct symbol *s);
cudaError_t kernel_load(struct kernel *k);
struct kernel *kernel_known(const void *host); /* registered function or handle; NULL: neither */
cudaError_t kernel_of(const void *host, struct kernel **out);    /* and loaded */
cudaError_t kernel_named(const char *name, struct kernel **out); /* the same, by its PTX name */
cudaError_t symbol_of(const void *host, struct symbol **out);    /* host variable, or a name */
cudaError_t symbol_load(struct symbol *s);
/* A variable by its name in a loaded module; nvcc calls a static variable of a file by its plain name,
 * clang by a mangled one. The device is locked. */
bool symbol_find(struct heddle *h, const struct module *m, const char *name, uint64_t *addr,
		 uint64_t *size);
void modules_unload_all(void); /* cudaDeviceReset: those of no context */

cudaError_t kernel_launch(struct kernel *k, const struct launch_conf *c, void **args,
			  const void *block);
cudaError_t kernel_work(struct kernel *k, const struct launch_conf *c, void **args,
			const void *block, struct work *out);
int occupancy(const struct kernel *k, int threads, size_t dynamic); /* blocks a multiprocessor */
void func_attributes(const struct kernel *k, struct cudaFuncAttributes *a);

#endif
