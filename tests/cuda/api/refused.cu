// A module in which one kernel has an instruction that is not supported: it loads, and its other kernels run; only that
// kernel, and those that call it, are refused when they are launched.
#include <cuda.h>
#include "check.h"

static const char text[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry good(.param .u64 p)\n{\n\t.reg .b64 %a;\n\tld.param.u64 %a, [p];\n\tst.global.u32 [%a], 42;\n\tret;\n}\n"
	".visible .entry bad(.param .u64 p)\n{\n\t.reg .b64 %a;\n\t.reg .b32 %x;\n\tld.param.u64 %a, [p];\n"
	"\tfrobnicate.sync.b32 {%x, %x}, %x, 17;\n\tst.global.u32 [%a], %x;\n\tret;\n}\n"
	".func helper()\n{\n\t.reg .b32 %x;\n\tadd.s32.frob %x, 1, 2;\n\tret;\n}\n"
	".func outer()\n{\n\tcall helper;\n\tret;\n}\n"
	".visible .entry caller()\n{\n\tcall outer;\n\tret;\n}\n";

int main()
{
	CUmodule m;
	CUfunction good, bad, caller;
	unsigned x = 0;
	unsigned *p;
	cudaMalloc(&p, sizeof *p);
	void *args[] = {&p};
	CHECK(cuModuleLoadData(&m, text) == CUDA_SUCCESS);
	CHECK(cuModuleGetFunction(&good, m, "good") == CUDA_SUCCESS);
	CHECK(cuModuleGetFunction(&bad, m, "bad") != CUDA_SUCCESS || cuLaunchKernel(bad, 1, 1, 1, 1, 1, 1, 0, 0, args, 0) != CUDA_SUCCESS);
	CHECK(cuModuleGetFunction(&caller, m, "caller") != CUDA_SUCCESS || cuLaunchKernel(caller, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0) != CUDA_SUCCESS);
	CHECK(cuLaunchKernel(good, 1, 1, 1, 1, 1, 1, 0, 0, args, 0) == CUDA_SUCCESS);
	CHECK(cudaMemcpy(&x, p, sizeof x, cudaMemcpyDeviceToHost) == cudaSuccess && x == 42);
	/* a text that is no PTX is refused as a whole */
	CHECK(cuModuleLoadData(&m, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n\tret;\n") != CUDA_SUCCESS);
	DONE();
}
