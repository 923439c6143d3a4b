// options: -ldl
// The libraries as programs of CUDA 11, 12 and 13 see them: symbols by version, with each version's own
// signatures and layouts, which are declared here and not taken from a header.
#include "check.h"
#include <dlfcn.h>
#include <string>

/* Offsets of fields of cudaDeviceProp, and its size. */
struct layout {
	const char *symbol, *version;
	size_t size, total_mem, warp, clock, constants, major, sms, bus, optin;
};
static const layout layouts[] = {
	{"cudaGetDeviceProperties", "libcudart.so.11.0", 728, 288, 308, 348, 352, 360, 388, 612, 696},
	{"cudaGetDeviceProperties", "libcudart.so.12", 728, 288, 308, 348, 352, 360, 388, 612, 696},
	{"cudaGetDeviceProperties_v2", "libcudart.so.12", 1032, 288, 308, 348, 352, 360, 388, 612, 696},
	{"cudaGetDeviceProperties", "libcudart.so.13", 1008, 288, 308, 0, 352, 360, 384, 592, 672},
};

template <class F> static F *find(const char *name, const char *version)
{
	F *f = (F *)dlvsym(RTLD_DEFAULT, name, version);
	if (!f) {
		printf("no %s of %s\n", name, version);
		check_failed = 1;
		exit(1);
	}
	return f;
}

template <class F> static F *find_any(const char *name)
{
	F *f = (F *)dlsym(RTLD_DEFAULT, name);
	if (!f)
		exit(printf("no %s\n", name));
	return f;
}

static int at(const unsigned char *p, size_t offset)
{
	int v;
	memcpy(&v, p + offset, sizeof v);
	return v;
}

static int attribute(cudaDeviceAttr a)
{
	int v = -1;
	OK(cudaDeviceGetAttribute(&v, a, 0));
	return v;
}

static void properties()
{
	size_t free_bytes, total;
	OK(cudaMemGetInfo(&free_bytes, &total));
	for (const layout &l : layouts) {
		unsigned char p[2048];
		size_t mem;
		memset(p, 0xee, sizeof p);
		OK(find<int(void *, int)>(l.symbol, l.version)(p, 0));
		memcpy(&mem, p + l.total_mem, sizeof mem);
		CHECK(mem == total);
		IS(at(p, l.warp), attribute(cudaDevAttrWarpSize));
		IS(at(p, l.constants), attribute(cudaDevAttrTotalConstantMemory));
		IS(at(p, l.major), attribute(cudaDevAttrComputeCapabilityMajor));
		IS(at(p, l.sms), attribute(cudaDevAttrMultiProcessorCount));
		IS(at(p, l.bus), attribute(cudaDevAttrGlobalMemoryBusWidth));
		IS(at(p, l.optin), attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
		if (l.clock)
			IS(at(p, l.clock), attribute(cudaDevAttrClockRate));
		size_t end = sizeof p;
		while (end && p[end - 1] == 0xee)
			end--;
		CHECK(end <= l.size && end + 64 > l.size); /* no byte behind the structure is
			 * written */
	}
}

static void versions()
{
	static const struct { const char *version; int from, to; } v[] = {
		{"libcudart.so.11.0", 11000, 12000}, {"libcudart.so.12", 12000, 13000}, {"libcudart.so.13", 13000, 14000}};
	for (auto &x : v) {
		int is = 0;
		OK(find<int(int *)>("cudaRuntimeGetVersion", x.version)(&is));
		CHECK(is >= x.from && is < x.to);
	}
	/* one library by all names: one device */
	static const char *const name[] = {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13", "libcuda.so.1"};
	void *first = NULL;
	Dl_info self;
	CHECK(dladdr(dlsym(RTLD_DEFAULT, "cudaMalloc"), &self));
	std::string folder(self.dli_fname);
	folder.resize(folder.rfind('/') + 1);
	for (const char *n : name) {
		void *h = dlopen((folder + n).c_str(), RTLD_NOW);
		CHECK(h);
		void *f = h ? dlsym(h, "cudaMalloc") : NULL;
		CHECK(f && (!first || f == first));
		first = f;
	}
	/* what compilers emit */
	static const char *const glue[] = {"__cudaRegisterFatBinary", "__cudaRegisterFatBinaryEnd",
		"__cudaUnregisterFatBinary", "__cudaRegisterFunction", "__cudaRegisterVar", "__cudaPushCallConfiguration",
		"__cudaPopCallConfiguration", "cudaLaunchKernel", "cudaLaunchKernelExC", "cudaLaunchKernel_ptsz"};
	for (const char *g : glue)
		for (auto &x : v)
			CHECK(dlvsym(RTLD_DEFAULT, g, x.version));
}

/* The forms that changed: cudaGraphInstantiate, ...ExecUpdate, ...AddDependencies, ...GetEdges. */
static void graphs()
{
	typedef void *ptr;
	ptr g, a, b, x, bad, from[2], to[2];
	char log[100] = "?";
	size_t n;
	int result = -1;
	struct edge { unsigned char byte[8]; } edges[2];
	struct { int result; ptr node, from; } info = {-1, 0, 0};
	auto create = find<int(ptr *, unsigned)>("cudaGraphCreate", "libcudart.so.11.0");
	auto empty = find<int(ptr *, ptr, const ptr *, size_t)>("cudaGraphAddEmptyNode", "libcudart.so.11.0");
	auto destroy = find<int(ptr)>("cudaGraphExecDestroy", "libcudart.so.12");
	OK(create(&g, 0));
	OK(empty(&a, g, NULL, 0));
	OK(empty(&b, g, NULL, 0));
	OK((find<int(ptr, const ptr *, const ptr *, size_t)>("cudaGraphAddDependencies", "libcudart.so.12")(g, &a, &b, 1)));
	n = 2;
	OK((find<int(ptr, ptr *, ptr *, size_t *)>("cudaGraphGetEdges", "libcudart.so.11.0")(g, from, to, &n)));
	CHECK(n == 1 && from[0] == a && to[0] == b);
	n = 2;
	OK((find<int(ptr, ptr *, ptr *, edge *, size_t *)>("cudaGraphGetEdges", "libcudart.so.13")(g, from, to, edges, &n)));
	CHECK(n == 1 && to[0] == b);
	OK((find<int(ptr, const ptr *, const ptr *, const edge *, size_t)>("cudaGraphRemoveDependencies",
		"libcudart.so.13")(g, &a, &b, NULL, 1)));
	OK((find<int(ptr *, ptr, ptr *, char *, size_t)>("cudaGraphInstantiate", "libcudart.so.11.0")(&x, g, &bad, log,
		sizeof log)));
	CHECK(!log[0]);
	OK((find<int(ptr, ptr, ptr *, int *)>("cudaGraphExecUpdate", "libcudart.so.11.0")(x, g, &bad, &result)));
	IS(result, 0);
	OK((find<int(ptr, ptr, void *)>("cudaGraphExecUpdate", "libcudart.so.12")(x, g, &info)));
	IS(info.result, 0);
	OK(destroy(x));
	OK((find<int(ptr *, ptr, unsigned long long)>("cudaGraphInstantiate", "libcudart.so.12")(&x, g, 0)));
	OK(destroy(x));
	/* a node of any kind: 256 bytes that begin with the type; since CUDA 13, edge data stands
	 * before the count */
	long long params[32] = {5};
	ptr c;
	OK((find<int(ptr *, ptr, const ptr *, size_t, void *)>("cudaGraphAddNode", "libcudart.so.12")(&c, g, &a, 1, params)));
	OK((find<int(ptr *, ptr, const ptr *, const edge *, size_t, void *)>("cudaGraphAddNode", "libcudart.so.13")(&c, g, &b,
		NULL, 1, params)));
	n = 0;
	OK((find<int(ptr, ptr *, size_t *)>("cudaGraphGetNodes", "libcudart.so.13")(g, NULL, &n)));
	IS(n, 4);
}

static void captures()
{
	typedef void *ptr;
	cudaStream_t s;
	cudaGraph_t g;
	ptr graph = NULL;
	const ptr *deps = NULL;
	const void *edges = &g;
	unsigned long long id = 0, id2 = 0, id3 = 0;
	size_t n = 9;
	int status = -1;
	OK(cudaStreamCreate(&s));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	OK((find<int(ptr, int *, unsigned long long *)>("cudaStreamGetCaptureInfo", "libcudart.so.11.0")(s, &status, &id)));
	IS(status, 1);
	OK((find<int(ptr, int *, unsigned long long *, ptr *, const ptr **, size_t *)>("cudaStreamGetCaptureInfo_v2",
		"libcudart.so.12")(s, &status, &id2, &graph, &deps, &n)));
	CHECK(graph && id2 == id && n == 0);
	n = 9;
	OK((find<int(ptr, int *, unsigned long long *, ptr *, const ptr **, const void **, size_t *)>(
		"cudaStreamGetCaptureInfo", "libcudart.so.13")(s, &status, &id3, &graph, &deps, &edges, &n)));
	CHECK(id3 == id && n == 0 && !edges);
	OK(cudaStreamEndCapture(s, &g));
	CHECK((ptr)g == graph);
	OK(cudaGraphDestroy(g));
}

/* Places: a number in CUDA 11 and 12, a kind and a number in CUDA 13. */
static void places()
{
	struct place { int type, id; };
	char *p;
	OK(cudaMallocManaged(&p, 4096));
	OK((find<int(const void *, size_t, int, void *)>("cudaMemPrefetchAsync", "libcudart.so.12")(p, 4096, 0, NULL)));
	OK((find<int(const void *, size_t, int, void *)>("cudaMemPrefetchAsync", "libcudart.so.11.0")(p, 4096, -1, NULL)));
	OK((find<int(const void *, size_t, place, unsigned, void *)>("cudaMemPrefetchAsync", "libcudart.so.13")(p, 4096,
		place{1, 0}, 0, NULL)));
	OK((find<int(const void *, size_t, int, place)>("cudaMemAdvise", "libcudart.so.13")(p, 4096, 1, place{2, 0})));
	OK(cudaFree(p));
}

/* Each symbol stands for the form of the requested version. */
static void entries()
{
	static const struct { const char *name; int version, flags; const char *symbol; } want[] = {
		{"cuMemAlloc", 11000, 0, "cuMemAlloc_v2"},
		{"cuStreamGetCaptureInfo", 11000, 0, "cuStreamGetCaptureInfo"},
		{"cuStreamGetCaptureInfo", 11030, 0, "cuStreamGetCaptureInfo_v2"},
		{"cuStreamGetCaptureInfo", 12030, 0, "cuStreamGetCaptureInfo_v3"},
		{"cuGraphAddNode", 12020, 0, "cuGraphAddNode"},
		{"cuGraphAddNode", 12030, 0, "cuGraphAddNode_v2"},
		{"cuGraphExecUpdate", 11080, 0, "cuGraphExecUpdate"},
		{"cuGraphExecUpdate", 12000, 0, "cuGraphExecUpdate_v2"},
		{"cuCtxCreate", 11000, 0, "cuCtxCreate_v2"},
		{"cuCtxCreate", 13000, 0, "cuCtxCreate_v4"},
		{"cuMemAdvise", 12000, 0, "cuMemAdvise"},
		{"cuMemAdvise", 12020, 0, "cuMemAdvise_v2"},
		{"cuMemcpyHtoDAsync", 12000, 2, "cuMemcpyHtoDAsync_v2_ptsz"},
		{"cuLaunchKernel", 12000, 0, "cuLaunchKernel"},
		{"cuLaunchKernel", 12000, 2, "cuLaunchKernel_ptsz"},
	};
	auto get = find_any<int(const char *, void **, int, unsigned long long)>("cuGetProcAddress");
	auto get2 = find_any<int(const char *, void **, int, unsigned long long, int *)>("cuGetProcAddress_v2");
	void *p;
	int status = -1;
	for (auto &w : want) {
		p = NULL;
		OK(get(w.name, &p, w.version, w.flags));
		if (!p || p != dlsym(RTLD_DEFAULT, w.symbol)) {
			printf("%s of %d is not %s\n", w.name, w.version, w.symbol);
			check_failed = 1;
		}
	}
	OK(get2("cuNothing", &p, 12000, 0, &status));
	IS(status, 1);
	CHECK(!p && get("cuNothing", &p, 12000, 0) == 500);
	/* without a version in the request: the runtime's own */
	OK((find<int(const char *, void **, unsigned long long)>("cudaGetDriverEntryPoint", "libcudart.so.11.0")(
		"cuGraphExecUpdate", &p, 0)));
	CHECK(p == dlsym(RTLD_DEFAULT, "cuGraphExecUpdate"));
	OK((find<int(const char *, void **, unsigned long long, int *)>("cudaGetDriverEntryPoint", "libcudart.so.13")(
		"cuGraphExecUpdate", &p, 0, &status)));
	CHECK(p == dlsym(RTLD_DEFAULT, "cuGraphExecUpdate_v2") && status == 0);
	/* first forms, for programs that load the library themselves */
	static const char *const plain[] = {"cuCtxDestroy", "cuCtxPushCurrent", "cuStreamDestroy", "cuEventDestroy", "cuLinkCreate"};
	for (const char *n : plain)
		CHECK(dlsym(RTLD_DEFAULT, n));
}

int main()
{
	entries();
	properties();
	versions();
	graphs();
	captures();
	places();
	DONE();
}
