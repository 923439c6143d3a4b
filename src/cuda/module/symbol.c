/* Entry points about variables of device code, named by their host variables or by strings. */
#include "cuda/rt.h"

RT(cudaGetSymbolAddress, (void **p, const void *symbol))
{
	struct symbol *s;
	RETURN_IF_ERROR(symbol_of(symbol, &s));
	if (!p || !s->addr)
		return rt_error(p ? cudaErrorInvalidSymbol : cudaErrorInvalidValue);
	*p = (void *)(uintptr_t)s->addr;
	return cudaSuccess;
}

RT(cudaGetSymbolSize, (size_t * size, const void *symbol))
{
	struct symbol *s;
	RETURN_IF_ERROR(symbol_of(symbol, &s));
	if (!size || !s->addr)
		return rt_error(size ? cudaErrorInvalidSymbol : cudaErrorInvalidValue);
	*size = s->size;
	return cudaSuccess;
}

static cudaError_t symbol_copy(const void *symbol, bool to, uint64_t other, size_t n, size_t offset,
			       enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
	struct symbol *s;
	RETURN_IF_ERROR(symbol_of(symbol, &s));
	if (!s->addr)
		return rt_error(cudaErrorInvalidSymbol);
	if (offset > s->size || n > s->size - offset)
		return rt_error(cudaErrorInvalidValue);
	struct rows var = {.addr = s->addr + offset, .pitch = n}, mem = {.addr = other, .pitch = n};
	struct copy c = {
		.dst = to ? var : mem, .src = to ? mem : var, .width = n, .height = 1, .depth = 1};
	return rt_error(copy_submit(&c, kind, stream, wait));
}

RT(cudaMemcpyToSymbol,
   (const void *symbol, const void *src, size_t n, size_t offset, enum cudaMemcpyKind kind))
{
	return symbol_copy(symbol, true, (uint64_t)(uintptr_t)src, n, offset, kind, NULL, true);
}
RT(cudaMemcpyFromSymbol,
   (void *dst, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind))
{
	return symbol_copy(symbol, false, (uint64_t)(uintptr_t)dst, n, offset, kind, NULL, true);
}
RT(cudaMemcpyToSymbolAsync, (const void *symbol, const void *src, size_t n, size_t offset,
			     enum cudaMemcpyKind kind, cudaStream_t s))
{
	return symbol_copy(symbol, true, (uint64_t)(uintptr_t)src, n, offset, kind, s, false);
}
RT(cudaMemcpyFromSymbolAsync, (void *dst, const void *symbol, size_t n, size_t offset,
			       enum cudaMemcpyKind kind, cudaStream_t s))
{
	return symbol_copy(symbol, false, (uint64_t)(uintptr_t)dst, n, offset, kind, s, false);
}
RT_PTDS(cudaMemcpyToSymbol,
	(const void *y, const void *p, size_t n, size_t o, enum cudaMemcpyKind k), (y, p, n, o, k))
RT_PTDS(cudaMemcpyFromSymbol, (void *p, const void *y, size_t n, size_t o, enum cudaMemcpyKind k),
	(p, y, n, o, k))
RT_PTSZ(cudaMemcpyToSymbolAsync,
	(const void *y, const void *p, size_t n, size_t o, enum cudaMemcpyKind k, cudaStream_t s),
	(y, p, n, o, k, s))
RT_PTSZ(cudaMemcpyFromSymbolAsync,
	(void *p, const void *y, size_t n, size_t o, enum cudaMemcpyKind k, cudaStream_t s),
	(p, y, n, o, k, s))
