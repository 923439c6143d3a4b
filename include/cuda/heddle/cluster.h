/* Clusters of blocks, from sm_90 on: the functions behind cooperative groups' clusters, and atomic
 * additions of two and four floats. */
#ifndef HEDDLE_CUDA_CLUSTER_H
#define HEDDLE_CUDA_CLUSTER_H
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

#define __HD_ISSPACE(__name, __space) \
__HD_DEV unsigned int __name(const void *__p) \
{ \
	unsigned int __r; \
	asm("{ .reg .pred %%in; isspacep." __space " %%in, %1; selp.u32 %0, 1, 0, %%in; }" : "=r"(__r) : "l"(__p)); \
	return __r; \
}
__HD_ISSPACE(__isCtaShared, "shared::cta")
__HD_ISSPACE(__isClusterShared, "shared::cluster")
#undef __HD_ISSPACE

__HD_DEV void *__cluster_map_shared_rank(const void *__p, unsigned int __rank)
{
	void *__r;
	asm("mapa.u64 %0, %1, %2;" : "=l"(__r) : "l"(__p), "r"(__rank));
	return __r;
}
__HD_DEV unsigned int __cluster_query_shared_rank(const void *__p)
{
	unsigned int __r;
	asm("getctarank.u64 %0, %1;" : "=r"(__r) : "l"(__p));
	return __r;
}

#define __HD_CLUSTER_REGISTER(__name, __register) \
__HD_DEV unsigned int __name() \
{ \
	unsigned int __r; \
	asm("mov.u32 %0, %%" __register ";" : "=r"(__r)); \
	return __r; \
}
#define __HD_CLUSTER_DIM(__name, __register) \
__HD_DEV dim3 __name() \
{ \
	dim3 __r; \
	asm("mov.u32 %0, %%" __register ".x;" : "=r"(__r.x)); \
	asm("mov.u32 %0, %%" __register ".y;" : "=r"(__r.y)); \
	asm("mov.u32 %0, %%" __register ".z;" : "=r"(__r.z)); \
	return __r; \
}
__HD_CLUSTER_REGISTER(__clusterRelativeBlockRank, "cluster_ctarank")
__HD_CLUSTER_REGISTER(__clusterSizeInBlocks, "cluster_nctarank")
__HD_CLUSTER_DIM(__clusterDim, "cluster_nctaid")
__HD_CLUSTER_DIM(__clusterRelativeBlockIdx, "cluster_ctaid")
__HD_CLUSTER_DIM(__clusterGridDimInClusters, "nclusterid")
__HD_CLUSTER_DIM(__clusterIdx, "clusterid")
#undef __HD_CLUSTER_REGISTER
#undef __HD_CLUSTER_DIM
__HD_DEV unsigned int __clusterDimIsSpecified()
{
	unsigned int __r;
	asm("{ .reg .pred %%is; mov.pred %%is, %%is_explicit_cluster; selp.u32 %0, 1, 0, %%is; }" : "=r"(__r));
	return __r;
}

__HD_DEV void __cluster_barrier_arrive() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
__HD_DEV void __cluster_barrier_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory"); }
__HD_DEV void __cluster_barrier_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
__HD_DEV void __threadfence_cluster() { asm volatile("fence.acq_rel.cluster;" ::: "memory"); }

/* Two or four atomic additions to global memory. */
#define __HD_ADD_FLOATS(__name, __scope) \
__HD_DEV float2 __name(float2 *__p, float2 __v) \
{ \
	float2 __r; \
	asm volatile("atom.relaxed." __scope ".global.add.v2.f32 {%0, %1}, [%2], {%3, %4};" \
		     : "=f"(__r.x), "=f"(__r.y) : "l"(__cvta_generic_to_global(__p)), "f"(__v.x), "f"(__v.y) : "memory"); \
	return __r; \
} \
__HD_DEV float4 __name(float4 *__p, float4 __v) \
{ \
	float4 __r; \
	asm volatile("atom.relaxed." __scope ".global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};" \
		     : "=f"(__r.x), "=f"(__r.y), "=f"(__r.z), "=f"(__r.w) \
		     : "l"(__cvta_generic_to_global(__p)), "f"(__v.x), "f"(__v.y), "f"(__v.z), "f"(__v.w) : "memory"); \
	return __r; \
}
__HD_ADD_FLOATS(atomicAdd, "gpu")
__HD_ADD_FLOATS(atomicAdd_block, "cta")
__HD_ADD_FLOATS(atomicAdd_system, "sys")
#undef __HD_ADD_FLOATS

#endif
#endif
