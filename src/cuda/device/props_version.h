/* struct cudaDeviceProp of one version of CUDA and the entry point that fills it, from the rows of
 * props.def. props.c includes this file once per version, with these macros defined: VERSION (11),
 * OLD, ELEVEN and NEW (FIELDS or NONE: whether the structure has the fields of CUDA 10 to 12, of
 * CUDA 11, of CUDA 12). The file undefines them. */
#define PASTE_(a, b, c) a##b##c
#define PASTE(a, b, c)  PASTE_(a, b, c)
#define PROP            struct PASTE(prop, VERSION, )
#define FILL            PASTE(rt, VERSION, _properties)

#define FIELDS(type, name, dim, ...) type name dim;
#define A                            FIELDS
#define O                            OLD
#define E                            ELEVEN
#define N                            NEW
PROP{
#include "cuda/device/props.def"
};
#undef FIELDS
#define FIELDS(type, name, dim, ...) .name = __VA_ARGS__,

cudaError_t FILL(PROP *out, int device);
cudaError_t FILL(PROP *out, int device)
{
	cudaError_t e;
	const struct heddle_device *d = begin_query(out, device, &e);
	if (e)
		return e;
	*out = (PROP){
#include "cuda/device/props.def"
	};
	snprintf(out->name, sizeof out->name, "%s", d->name);
	return cudaSuccess;
}

#undef A
#undef O
#undef E
#undef N
#undef FIELDS
#undef PROP
#undef FILL
#undef PASTE
#undef PASTE_
#undef VERSION
#undef OLD
#undef ELEVEN
#undef NEW
