// The driver API: contexts, modules from PTX, old and new launches, memory, textures, linking.
#include "check.h"
#include <cuda.h>

static const char ptx[] =
	".version 6.0\n.target sm_30\n.address_size 64\n"
	".global .texref image;\n"
	".visible .global .u32 bias = 100;\n"
	".visible .entry scale(.param .u64 p, .param .u32 n, .param .f32 f)\n{\n"
	".reg .u64 %a, %b; .reg .u32 %i, %n; .reg .f32 %x, %f; .reg .pred %q;\n"
	"mov.u32 %i, %tid.x; ld.param.u32 %n, [n]; setp.ge.u32 %q, %i, %n; @%q ret;\n"
	"ld.param.u64 %a, [p]; cvta.to.global.u64 %a, %a; mul.wide.u32 %b, %i, 4; add.u64 %a, %a, %b;\n"
	"ld.param.f32 %f, [f]; ld.global.f32 %x, [%a]; mul.f32 %x, %x, %f; st.global.f32 [%a], %x; ret;\n}\n"
	".visible .entry sample(.param .u64 p)\n{\n"
	".reg .u64 %a, %b; .reg .u32 %i, %z; .reg .f32 %x, %y, %v<4>;\n"
	"mov.u32 %i, %tid.x; ld.param.u64 %a, [p]; cvta.to.global.u64 %a, %a; mul.wide.u32 %b, %i, 4; add.u64 %a, %a, %b;\n"
	"cvt.rn.f32.u32 %x, %i; add.f32 %x, %x, 0f3F000000; mov.f32 %y, 0f3F000000;\n"
	"tex.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [image, {%x, %y}]; st.global.f32 [%a], %v0; ret;\n}\n";
static const char part1[] =
	".version 6.0\n.target sm_30\n.address_size 64\n"
	".extern .func (.param .b32 r) seven();\n"
	".visible .entry call(.param .u64 p)\n{\n.reg .u64 %a; .reg .u32 %x;\n"
	"{ .param .b32 r; call.uni (r), seven, (); ld.param.b32 %x, [r]; }\n"
	"ld.param.u64 %a, [p]; st.global.u32 [%a], %x; ret;\n}\n";
static const char part2[] =
	".version 6.0\n.target sm_30\n.address_size 64\n"
	".visible .func (.param .b32 r) seven()\n{\nst.param.b32 [r], 7; ret;\n}\n";

enum { N = 50 };

static void launches(CUmodule m)
{
	CUfunction f;
	CUdeviceptr d;
	float h[N], factor = 3;
	unsigned n = N;
	for (int i = 0; i < N; i++)
		h[i] = i;
	OK(cuModuleGetFunction(&f, m, "scale"));
	IS(cuModuleGetFunction(&f, m, "nothing"), CUDA_ERROR_NOT_FOUND);
	OK(cuModuleGetFunction(&f, m, "scale"));
	OK(cuMemAlloc(&d, sizeof h));
	OK(cuMemcpyHtoD(d, h, sizeof h));
	void *args[] = {&d, &n, &factor};
	OK(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, args, 0));
	/* the old way */
	factor = 5;
	OK(cuFuncSetBlockShape(f, 64, 1, 1));
	OK(cuFuncSetSharedSize(f, 0));
	OK(cuParamSetv(f, 0, &d, 8));
	OK(cuParamSeti(f, 8, n));
	OK(cuParamSetf(f, 12, factor));
	OK(cuParamSetSize(f, 16));
	OK(cuLaunchGrid(f, 1, 1));
	/* one buffer */
	struct { CUdeviceptr p; unsigned n; float f; } block = {d, N, 7};
	size_t size = sizeof block;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
	OK(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, 0, extra));
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH(h, d, sizeof h));
	IS(h[1], 105);
	IS(h[N - 1], 105 * (N - 1));
	int v;
	OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
	CHECK(v > 0);
	OK(cuMemFree(d));
}

static void globals(CUmodule m)
{
	CUdeviceptr d;
	size_t n;
	unsigned v;
	OK(cuModuleGetGlobal(&d, &n, m, "bias"));
	IS(n, 4);
	OK(cuMemcpyDtoH(&v, d, 4));
	IS(v, 100);
	OK(cuMemsetD32(d, 77, 1));
	OK(cuMemcpyDtoH(&v, d, 4));
	IS(v, 77);
}

static void textures(CUmodule m)
{
	CUDA_ARRAY_DESCRIPTOR desc = {8, 2, CU_AD_FORMAT_FLOAT, 1};
	CUarray a;
	CUtexref ref;
	CUfunction f;
	CUdeviceptr d;
	float in[16], out[8];
	for (int i = 0; i < 16; i++)
		in[i] = i + 0.25f;
	OK(cuArrayCreate(&a, &desc));
	CUDA_MEMCPY2D c = {};
	c.srcMemoryType = CU_MEMORYTYPE_HOST;
	c.srcHost = in;
	c.srcPitch = 32;
	c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	c.dstArray = a;
	c.WidthInBytes = 32;
	c.Height = 2;
	OK(cuMemcpy2D(&c));
	OK(cuModuleGetTexRef(&ref, m, "image"));
	IS(cuModuleGetTexRef(&ref, m, "nothing"), CUDA_ERROR_NOT_FOUND);
	OK(cuModuleGetTexRef(&ref, m, "image"));
	OK(cuTexRefSetArray(ref, a, CU_TRSA_OVERRIDE_FORMAT));
	OK(cuTexRefSetFilterMode(ref, CU_TR_FILTER_MODE_POINT));
	OK(cuModuleGetFunction(&f, m, "sample"));
	OK(cuMemAlloc(&d, sizeof out));
	void *args[] = {&d};
	OK(cuLaunchKernel(f, 1, 1, 1, 8, 1, 1, 0, 0, args, 0));
	OK(cuMemcpyDtoH(out, d, sizeof out));
	CHECK(!memcmp(in, out, sizeof out));
	OK(cuArrayDestroy(a));
}

static void linking()
{
	CUlinkState s;
	CUmodule m;
	CUfunction f;
	CUdeviceptr d;
	void *cubin;
	size_t n;
	unsigned v;
	/* completing the link reports the missing symbols in the log that the program supplied */
	char log[400] = "";
	CUjit_option opt[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *val[] = {log, (void *)sizeof log};
	OK(cuLinkCreate(2, opt, val, &s));
	OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)part1, sizeof part1, "one", 0, 0, 0));
	CHECK(cuLinkComplete(s, &cubin, &n) != CUDA_SUCCESS);
	CHECK(strstr(log, "seven"));
	IS((size_t)val[1], strlen(log));
	OK(cuLinkDestroy(s));
	OK(cuLinkCreate(0, 0, 0, &s));
	OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)part1, sizeof part1, "one", 0, 0, 0));
	OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)part2, sizeof part2, "two", 0, 0, 0));
	OK(cuLinkComplete(s, &cubin, &n));
	OK(cuModuleLoadData(&m, cubin));
	OK(cuLinkDestroy(s));
	OK(cuModuleGetFunction(&f, m, "call"));
	OK(cuMemAlloc(&d, 4));
	void *args[] = {&d};
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0));
	OK(cuMemcpyDtoH(&v, d, 4));
	IS(v, 7);
	OK(cuModuleUnload(m));
}

static void virtual_memory()
{
	CUmemAllocationProp prop = {};
	CUmemGenericAllocationHandle h;
	CUdeviceptr a, b;
	size_t g;
	unsigned v = 0;
	prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	OK(cuMemGetAllocationGranularity(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	OK(cuMemAddressReserve(&a, 2 * g, 0, 0, 0));
	OK(cuMemAddressReserve(&b, 2 * g, 0, 0, 0));
	OK(cuMemCreate(&h, g, &prop, 0));
	OK(cuMemMap(a + g, g, 0, h, 0));
	CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	OK(cuMemSetAccess(a + g, g, &access, 1));
	OK(cuMemsetD32(a + g, 1234, g / 4));
	OK(cuMemUnmap(a + g, g));
	OK(cuMemMap(b, g, 0, h, 0)); /* the contents come along */
	OK(cuMemcpyDtoH(&v, b + g - 4, 4));
	IS(v, 1234);
	OK(cuMemRelease(h));
	OK(cuMemUnmap(b, g));
	OK(cuMemAddressFree(a, 2 * g));
	OK(cuMemAddressFree(b, 2 * g));

	/* A pool as programs make one: addresses for more than the memory there is, handles mapped one behind the other as
	 * they are needed and released at once, all of them unmapped in one call. Only handles count as used. */
	size_t before, now, total;
	OK(cuMemGetInfo(&before, &total));
	OK(cuMemAddressReserve(&a, 2 * total, 0, 0, 0));
	OK(cuMemGetInfo(&now, &total));
	IS(now, before);
	for (int i = 0; i < 3; i++) {
		OK(cuMemCreate(&h, g, &prop, 0));
		OK(cuMemMap(a + i * g, g, 0, h, 0));
		OK(cuMemRelease(h));
		OK(cuMemSetAccess(a + i * g, g, &access, 1));
	}
	OK(cuMemGetInfo(&now, &total));
	IS(now, before - 3 * g);
	OK(cuMemsetD32(a, 5678, 3 * g / 4)); /* over handles' bounds */
	OK(cuMemcpyDtoH(&v, a + 2 * g + 4, 4));
	IS(v, 5678);
	OK(cuMemUnmap(a, 3 * g));
	OK(cuMemGetInfo(&now, &total));
	IS(now, before);
	IS(cuMemCreate(&h, total / g * g + g, &prop, 0), CUDA_ERROR_OUT_OF_MEMORY);
	OK(cuMemAddressFree(a, 2 * total));
	OK(cuMemGetInfo(&now, &total));
	IS(now, before);
}

int main()
{
	CUdevice dev;
	CUcontext c, now;
	CUmodule m;
	int n, major, minor;
	char name[64], log[400] = "";
	size_t bytes;
	const char *s;
	IS(cuDeviceGetCount(&n), CUDA_ERROR_NOT_INITIALIZED);
	OK(cuInit(0));
	OK(cuDeviceGetCount(&n));
	IS(n, 1);
	OK(cuDeviceGet(&dev, 0));
	OK(cuDeviceGetName(name, sizeof name, dev));
	OK(cuDeviceComputeCapability(&major, &minor, dev));
	OK(cuDeviceTotalMem(&bytes, dev));
	CHECK(bytes > 0 && major > 0);
	OK(cuCtxCreate(&c, NULL, 0, dev)); /* the form of CUDA 13 */
	OK(cuCtxGetCurrent(&now));
	CHECK(now == c);
	CUjit_option opt[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *val[] = {log, (void *)sizeof log};
	CHECK(cuModuleLoadDataEx(&m, "this is no PTX", 2, opt, val) != CUDA_SUCCESS);
	CHECK(log[0]);
	OK(cuModuleLoadDataEx(&m, ptx, 0, 0, 0));
	launches(m);
	globals(m);
	textures(m);
	linking();
	virtual_memory();
	OK(cuGetErrorName(CUDA_ERROR_NOT_FOUND, &s));
	CHECK(!strcmp(s, "CUDA_ERROR_NOT_FOUND"));
	IS(cuModuleLoad(&m, "there is no such file"), CUDA_ERROR_FILE_NOT_FOUND);
	void *p;
#if CUDA_VERSION < 12000
	OK(cuGetProcAddress("cuMemAlloc", &p, 11000, 0));
#else
	OK(cuGetProcAddress("cuMemAlloc", &p, 12000, 0, NULL));
#endif
	CHECK(p == (void *)cuMemAlloc);
	OK(cuCtxDestroy(c));
	DONE();
}
