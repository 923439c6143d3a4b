// The driver API's smaller calls: words of memory as signals in batches, attributes, copies between
// contexts, descriptions of textures, handles of mapped memory, one default stream per thread.
#include "check.h"
#include <cuda.h>
#include <dlfcn.h>

enum { W = 8, H = 4 };

static void batches()
{
	CUstream s;
	CUdeviceptr p;
	unsigned long long v = 0;
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuMemAlloc(&p, 16));
	OK(cuMemsetD32(p, 0, 4));
	CUstreamBatchMemOpParams op[3] = {};
	op[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	op[0].writeValue.address = p;
	op[0].writeValue.value = 7;
	op[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
	op[1].waitValue.address = p;
	op[1].waitValue.value = 7;
	op[1].waitValue.flags = 1; /* equal */
	op[2].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
	op[2].writeValue.address = p + 8;
	op[2].writeValue.value64 = 1ull << 40;
	OK(cuStreamBatchMemOp(s, 3, op, 0));
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH(&v, p + 8, 8));
	CHECK(v == 1ull << 40);
	op[0].operation = (CUstreamBatchMemOpType)99;
	IS(cuStreamBatchMemOp(s, 1, op, 0), CUDA_ERROR_INVALID_VALUE);
	CUstreamAttrValue a = {}, b = {};
	a.syncPolicy = CU_SYNC_POLICY_YIELD;
	CUstream t;
	OK(cuStreamCreate(&t, 0));
	OK(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &a));
	OK(cuStreamCopyAttributes(t, s));
	OK(cuStreamGetAttribute(t, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &b));
	IS(b.syncPolicy, CU_SYNC_POLICY_YIELD);
	OK(cuStreamDestroy(s));
	OK(cuStreamDestroy(t));
	OK(cuMemFree(p));
}

static void copies()
{
	CUdeviceptr p, q;
	int in[H][W], out[H][W] = {};
	for (int i = 0; i < W * H; i++)
		in[i / W][i % W] = i;
	OK(cuMemAlloc(&p, sizeof in));
	OK(cuMemAlloc(&q, sizeof in));
	OK(cuMemcpyHtoD(p, in, sizeof in));
	CUDA_MEMCPY3D_PEER c = {};
	c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	c.srcDevice = p;
	c.dstDevice = q;
	OK(cuCtxGetCurrent(&c.srcContext));
	c.dstContext = c.srcContext;
	c.srcPitch = c.dstPitch = W * 4;
	c.srcHeight = c.dstHeight = H;
	c.WidthInBytes = W * 4;
	c.Height = H;
	c.Depth = 1;
	OK(cuMemcpy3DPeer(&c));
	OK(cuMemcpyDtoH(out, q, sizeof out));
	CHECK(!memcmp(in, out, sizeof in));
	/* attributes of addresses; for an address that CUDA did not allocate there are none, and no
	 * error */
	CUcontext owner = NULL, now;
	size_t size = 1;
	int ordinal = 5;
	CUpointer_attribute attr[] = {CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
	void *data[] = {&owner, &size, &ordinal};
	OK(cuCtxGetCurrent(&now));
	OK(cuPointerGetAttributes(3, attr, data, p + 12));
	CHECK(owner == now && size == sizeof in && ordinal == 0);
	OK(cuPointerGetAttributes(3, attr, data, (CUdeviceptr)(size_t)in));
	CHECK(owner == NULL && size == 0 && ordinal == -2);
	CUmemoryPool pool = (CUmemoryPool)1, own;
	CUdeviceptr pooled;
	unsigned flags = 0;
	OK(cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
	OK(cuPointerGetAttribute(&flags, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, p));
	CHECK(pool == NULL && flags == CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
	OK(cuDeviceGetDefaultMemPool(&own, 0));
	OK(cuMemAllocAsync(&pooled, 64, NULL));
	OK(cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, pooled + 8));
	CHECK(pool == own);
	OK(cuMemFreeAsync(pooled, NULL));
	OK(cuMemFree(p));
	OK(cuMemFree(q));
	CUdeviceptr m;
	int where[2] = {0, 0};
	OK(cuMemAllocManaged(&m, 4096, CU_MEM_ATTACH_GLOBAL));
	OK(cuMemRangeGetAttribute(where, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, 4096));
	IS(where[0], 0);
	OK(cuMemFree(m));
}

/* Pools by place. */
static void pools()
{
	CUmemLocation here = {};
	CUmemPoolProps props = {};
	CUmemoryPool first, mine, now;
	CUdevice dev = 0;
	here.type = CU_MEM_LOCATION_TYPE_DEVICE;
	OK(cuDeviceGetDefaultMemPool(&first, dev));
	OK(cuMemGetDefaultMemPool(&now, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
	CHECK(now == first);
	props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	props.location = here;
	OK(cuMemPoolCreate(&mine, &props));
	OK(cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, mine));
	OK(cuMemGetMemPool(&now, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
	CHECK(now == mine);
	OK(cuMemPoolDestroy(mine)); /* the first one is in use again */
	OK(cuMemGetMemPool(&now, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
	CHECK(now == first);
	here.id = 1;
	IS(cuMemGetMemPool(&now, &here, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_ERROR_INVALID_DEVICE);
}

static void textures()
{
	CUDA_ARRAY_DESCRIPTOR d = {W, H, CU_AD_FORMAT_UNSIGNED_INT8, 4};
	CUarray a;
	CUtexObject t;
	CUDA_RESOURCE_DESC res = {}, got = {};
	CUDA_TEXTURE_DESC how = {}, how2 = {};
	OK(cuArrayCreate(&a, &d));
	res.resType = CU_RESOURCE_TYPE_ARRAY;
	res.res.array.hArray = a;
	how.filterMode = CU_TR_FILTER_MODE_LINEAR;
	how.addressMode[0] = CU_TR_ADDRESS_MODE_MIRROR;
	how.flags = CU_TRSF_NORMALIZED_COORDINATES;
	how.borderColor[2] = 0.5f;
	OK(cuTexObjectCreate(&t, &res, &how, NULL));
	OK(cuTexObjectGetResourceDesc(&got, t));
	CHECK(got.resType == CU_RESOURCE_TYPE_ARRAY && got.res.array.hArray == a);
	OK(cuTexObjectGetTextureDesc(&how2, t));
	CHECK(how2.filterMode == how.filterMode && how2.addressMode[0] == CU_TR_ADDRESS_MODE_MIRROR &&
	      how2.flags == CU_TRSF_NORMALIZED_COORDINATES && how2.borderColor[2] == 0.5f);
	OK(cuTexObjectDestroy(t));
	IS(cuTexObjectGetResourceDesc(&got, t), CUDA_ERROR_INVALID_VALUE);
	OK(cuArrayDestroy(a));
}

/* A PCI address with or without zeros and domain. */
static void addresses()
{
	CUdevice dev = 9;
	char id[16];
	OK(cuDeviceGetPCIBusId(id, sizeof id, 0));
	for (const char *form : {(const char *)id, "0000:01:00.0", "0:1:0.0", "01:00.0", "0000:01:00"}) {
		dev = 9;
		OK(cuDeviceGetByPCIBusId(&dev, form));
		IS(dev, 0);
	}
	IS(cuDeviceGetByPCIBusId(&dev, "0000:02:00.0"), CUDA_ERROR_INVALID_DEVICE);
	IS(cuDeviceGetByPCIBusId(&dev, "nowhere"), CUDA_ERROR_INVALID_VALUE);
}

static void mapped()
{
	CUmemAllocationProp prop = {};
	CUmemGenericAllocationHandle h, again;
	CUdeviceptr a;
	size_t g;
	prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	OK(cuMemGetAllocationGranularity(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	OK(cuMemAddressReserve(&a, g, 0, 0, 0));
	OK(cuMemCreate(&h, g, &prop, 0));
	OK(cuMemMap(a, g, 0, h, 0));
	OK(cuMemRetainAllocationHandle(&again, (void *)(a + 100)));
	CHECK(again == h);
	OK(cuMemRelease(h));
	OK(cuMemUnmap(a, g));
	OK(cuMemMap(a, g, 0, again, 0)); /* one reference is left */
	OK(cuMemUnmap(a, g));
	OK(cuMemRelease(again));
	OK(cuMemAddressFree(a, g));
	IS(cuMemRetainAllocationHandle(&again, (void *)a), CUDA_ERROR_INVALID_VALUE);
}

/* Memory created as exportable is ordinary memory until the program exports it. */
static void exportable()
{
	CUmemAllocationProp prop = {};
	CUmemPoolProps props = {};
	CUmemGenericAllocationHandle h;
	CUmemoryPool pool;
	size_t g;
	int file;
	prop.type = props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location.type = props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	prop.requestedHandleTypes = props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	OK(cuMemGetAllocationGranularity(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	OK(cuMemCreate(&h, g, &prop, 0));
	IS(cuMemExportToShareableHandle(&file, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0), CUDA_ERROR_NOT_SUPPORTED);
	OK(cuMemRelease(h));
	OK(cuMemPoolCreate(&pool, &props));
	OK(cuMemPoolDestroy(pool));
	prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_WIN32;
	IS(cuMemCreate(&h, g, &prop, 0), CUDA_ERROR_NOT_SUPPORTED);
}

/* Symbols of programs compiled with one default stream per thread. */
static void own_streams()
{
	typedef CUresult set32(CUdeviceptr, unsigned, size_t, CUstream);
	typedef CUresult flags(CUstream, unsigned *);
	set32 *set = (set32 *)dlsym(RTLD_DEFAULT, "cuMemsetD32Async_ptsz");
	flags *get = (flags *)dlsym(RTLD_DEFAULT, "cuStreamGetFlags_ptsz");
	CHECK(set && get);
	CUdeviceptr p;
	unsigned v = 0;
	OK(cuMemAlloc(&p, 4));
	OK(set(p, 11, 1, 0));
	OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
	OK(cuMemcpyDtoH(&v, p, 4));
	IS(v, 11);
	OK(get(0, &v));
	OK(cuMemFree(p));
}

/* Symbols without a version suffix, as a program finds them with dlsym(). */
static void first_names()
{
	typedef CUresult alloc(CUdeviceptr *, size_t);
	static const char *const names[] = {"cuCtxCreate",	  "cuDeviceTotalMem",	"cuMemcpyHtoD",	    "cuMemcpyDtoDAsync",
					    "cuModuleGetGlobal",  "cuArrayCreate",	"cuMemsetD2D32",    "cuIpcOpenMemHandle",
					    "cuTexRefSetAddress", "cuTexRefSetAddress2D"};
	void *lib = dlopen("libcuda.so.1", RTLD_NOW);
	CHECK(lib);
	for (const char *name : names)
		if (!dlsym(lib, name)) {
			printf("no %s\n", name);
			check_failed = 1;
		}
	CUdeviceptr p = 0;
	alloc *get = (alloc *)dlsym(lib, "cuMemAlloc");
	CHECK(get && !get(&p, 16) && p);
	OK(cuMemFree(p));
}

int main()
{
	CUdevice dev;
	CUcontext c;
	OK(cuInit(0));
	OK(cuDeviceGet(&dev, 0));
	OK(cuCtxCreate(&c, NULL, 0, dev));
	batches();
	copies();
	pools();
	textures();
	addresses();
	mapped();
	exportable();
	own_streams();
	first_names();
	OK(cuCtxDestroy(c));
	DONE();
}
