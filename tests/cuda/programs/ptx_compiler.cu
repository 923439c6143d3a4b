// options: -lnvptxcompiler_static
/* The PTX compiler's output can be loaded and run; errors in a text are reported with their
 * line. */
#include <string.h>
#include <nvPTXCompiler.h>
#include "check.h"

static const char good[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			   ".visible .entry store(.param .u64 to)\n{\n"
			   ".reg .b64 %rd<2>;\n"
			   "ld.param.u64 %rd1, [to];\n"
			   "st.global.u32 [%rd1], 42;\n"
			   "ret;\n}\n";
static const char bad[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nnonsense.u32 1;\nret;\n}\n";
static const char part[] = ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func other();\n"
			   ".visible .entry k()\n{\ncall other;\nret;\n}\n";

static void run(const char *image)
{
	CUdevice d;
	CUcontext c;
	CUmodule m;
	CUfunction f;
	CUdeviceptr p;
	int got = 0;
	void *args[] = {&p};
	CHECK(!cuDeviceGet(&d, 0) && !cuCtxCreate(&c, 0, d) && !cuModuleLoadData(&m, image));
	CHECK(!cuModuleGetFunction(&f, m, "store") && !cuMemAlloc(&p, 4));
	CHECK(!cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0) && !cuMemcpyDtoH(&got, p, 4) && got == 42);
	CHECK(!cuCtxDestroy(c));
}

int main()
{
	const char *options[] = {"--gpu-name=sm_70", "--verbose"}, *only[] = {"--compile-only"};
	nvPTXCompilerHandle c = NULL;
	unsigned major = 0, minor = 0;
	size_t n = 1;
	char image[sizeof good + 64], log[8192];
	CHECK(!nvPTXCompilerGetVersion(&major, &minor) && (int)(major * 1000 + minor * 10) == CUDA_VERSION);
	CHECK(nvPTXCompilerCreate(&c, 0, good) == NVPTXCOMPILE_ERROR_INVALID_INPUT);
	CHECK(nvPTXCompilerCompile(NULL, 0, NULL) == NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE);

	CHECK(!nvPTXCompilerCreate(&c, strlen(good), good));
	CHECK(nvPTXCompilerGetCompiledProgramSize(c, &n) == NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE);
	CHECK(!nvPTXCompilerCompile(c, 2, options));
	CHECK(!nvPTXCompilerGetErrorLogSize(c, &n) && n == 0 && !nvPTXCompilerGetInfoLogSize(c, &n) && n == 0);
	CHECK(!nvPTXCompilerGetCompiledProgramSize(c, &n) && n <= sizeof image && !nvPTXCompilerGetCompiledProgram(c, image));
	CUcontext none;
	CHECK(!cuCtxGetCurrent(&none) && !none);
	CHECK(!nvPTXCompilerDestroy(&c) && !c);
	run(image);

	CHECK(!nvPTXCompilerCreate(&c, strlen(bad), bad));
	CHECK(nvPTXCompilerCompile(c, 1, options) == NVPTXCOMPILE_ERROR_COMPILATION_FAILURE);
	CHECK(!nvPTXCompilerGetErrorLogSize(c, &n) && n > 0 && n < sizeof log);
	CHECK(!nvPTXCompilerGetErrorLog(c, log) && strlen(log) == n && strstr(log, "nonsense"));
	CHECK(nvPTXCompilerGetCompiledProgram(c, image) == NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE);
	CHECK(!nvPTXCompilerDestroy(&c));

	CHECK(!nvPTXCompilerCreate(&c, strlen(part), part) && !nvPTXCompilerCompile(c, 1, only));
	CHECK(!nvPTXCompilerGetCompiledProgramSize(c, &n) && n == sizeof part && !nvPTXCompilerDestroy(&c));
	return failures != 0;
}
