/* Annotations for profilers: all headers of NVTX, each alone, from C and from C++. */
#include <nvToolsExtCuda.h>
#include <nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvtx3.hpp>

struct mine { static constexpr const char *name = "mine"; };

void annotated(cudaStream_t stream, CUcontext context)
{
	NVTX3_FUNC_RANGE();
	{
		NVTX3_FUNC_RANGE_IN(mine);
	}
	nvtx3::scoped_range whole{"whole", nvtx3::rgb{1, 2, 3}, nvtx3::payload{4.0}};
	nvtx3::scoped_range_in<mine> part{nvtx3::event_attributes{"part", nvtx3::category{1}}};
	nvtx3::mark("here");
	nvtx3::end_range(nvtx3::start_range("later"));
	nvtxNameCudaStreamA(stream, "copies");
	nvtxNameCuContext(context, "ours");
	nvtxNameCategory(1, "loads");
	nvtxDomainHandle_t d = nvtxDomainCreate("d");
	nvtxDomainRangeEnd(d, nvtxDomainRangeStartEx(d, nullptr));
	nvtxDomainDestroy(d);
}
