/* Reads NVIDIA's fat binary containers, decompresses their entries (LZ4, Zstandard), and finds the
 * lengths of cubins. */
#include "cuda/module/fatbin.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
	FLAG_LZ4 = 0x2000,
	FLAG_ZSTD = 0x8000,
	HEADER_MIN = 16,
	ENTRY_MIN = 32, /* size of old entries, which end after the architecture and name */
};
static const uint64_t UNPACKED_MAX = 1ull << 30,
		      /* mark that `heddle cc` writes above the architecture's number */
	MACHINE = 0x48484544;

static uint64_t get_number(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

size_t fatbin_length(const void *image)
{
	const uint8_t *p = image;
	if (get_number(p, 4) != FATBIN_MAGIC)
		return 0;
	uint64_t head = get_number(p + 6, 2), body = get_number(p + 8, 8);
	return head >= HEADER_MIN && body < UNPACKED_MAX ? (size_t)(head + body) : 0;
}

bool fatbin_next(const void *image, size_t size, size_t *at, struct fatbin_entry *e)
{
	const uint8_t *p = image;
	if (!*at) {
		if (size < HEADER_MIN || get_number(p, 4) != FATBIN_MAGIC)
			return false;
		*at = (size_t)get_number(p + 6, 2);
		if (*at < HEADER_MIN)
			return false;
	}
	if (*at > size || size - *at < ENTRY_MIN)
		return false;
	p += *at;
	uint64_t left = size - *at, head = get_number(p + 4, 4), body = get_number(p + 8, 8);
	if (head < ENTRY_MIN || head > left || body > left - head)
		return false;
	uint64_t packed = get_number(p + 16, 4), flags = head >= 48 ? get_number(p + 40, 8) : 0,
		 machine = head >= 56 ? get_number(p + 48, 8) : 0;
	*e = (struct fatbin_entry){.kind = (unsigned)get_number(p, 2),
				   .arch = (unsigned)get_number(p + 28, 4),
				   .ours = machine >> 32 == MACHINE,
				   .machine = machine >> 32 == MACHINE ? (unsigned)machine : 0,
				   .data = p + head,
				   .size = (size_t)body};
	if (packed && (flags & (FLAG_LZ4 | FLAG_ZSTD))) {
		e->packing = flags & FLAG_ZSTD ? FATBIN_ZSTD : FATBIN_LZ4;
		e->size = packed <= body ? (size_t)packed : (size_t)body;
		e->unpacked = head >= 64 ? get_number(p + 56, 8) : 0;
	}
	*at += (size_t)(head + body);
	return true;
}

char *fatbin_unpack(const struct fatbin_entry *e, size_t *size)
{
	uint64_t n = e->packing == FATBIN_PLAIN ? e->size : e->unpacked;
	if (n > UNPACKED_MAX)
		return NULL;
	char *out = malloc((size_t)n + 1);
	if (!out)
		return NULL;
	bool ok = true;
	if (e->packing == FATBIN_PLAIN) {
		memcpy(out, e->data, (size_t)n);
	} else if (e->packing == FATBIN_LZ4) {
		int k = LZ4_decompress_safe((const char *)e->data, out, (int)e->size, (int)n);
		ok = k >= 0;
		n = ok ? (uint64_t)k : 0;
	} else {
		size_t k = ZSTD_decompress(out, (size_t)n, e->data, e->size);
		ok = !ZSTD_isError(k);
		n = ok ? k : 0;
	}
	if (!ok) {
		free(out);
		return NULL;
	}
	out[n] = 0;
	*size = (size_t)n;
	return out;
}

size_t cubin_length(const void *image, unsigned *arch)
{
	enum { EM_CUDA = 190, NOBITS = 8 };
	const uint8_t *p = image;
	if (memcmp(p, "\177ELF", 4) || get_number(p + 18, 2) != EM_CUDA)
		return 0;
	bool wide = p[4] == 2;
	uint64_t at = wide ? get_number(p + 0x28, 8) : get_number(p + 0x20, 4), end;
	unsigned size = (unsigned)get_number(p + (wide ? 0x3a : 0x2e), 2),
		 n = (unsigned)get_number(p + (wide ? 0x3c : 0x30), 2);
	unsigned flags = (unsigned)get_number(p + (wide ? 0x30 : 0x24), 4);
	*arch = p[8] >= 8 ? flags >> 8 & 0xff : flags & 0xff; /* p[8]: ABI version */
	if (at > UNPACKED_MAX || size < (wide ? 64u : 40u))
		return 0;
	end = at + (uint64_t)n * size;
	for (unsigned i = 0; i < n; i++) {
		const uint8_t *s = p + at + (size_t)i * size;
		uint64_t off = wide ? get_number(s + 0x18, 8) : get_number(s + 0x10, 4),
			 len = wide ? get_number(s + 0x20, 8) : get_number(s + 0x14, 4);
		if (get_number(s + 4, 4) != NOBITS && off < UNPACKED_MAX && len < UNPACKED_MAX &&
		    off + len > end)
			end = off + len;
	}
	return (size_t)end;
}

char *fatbin_ptx(const void *image, size_t size, size_t *n)
{
	struct fatbin_entry e, best = {0};
	for (size_t at = 0; fatbin_next(image, size, &at, &e);)
		if (e.kind == FATBIN_PTX && (!best.kind || e.arch > best.arch))
			best = e;
	char *text = best.kind ? fatbin_unpack(&best, n) : NULL;
	if (text)
		*n = strlen(text); /* the entry may be padded */
	return text;
}

char *fatbin_code(const void *image, size_t size, size_t *n, unsigned *native)
{
	struct fatbin_entry e, best = {0};
	*native = 0;
	for (size_t at = 0; fatbin_next(image, size, &at, &e);) {
		if (e.kind != FATBIN_ELF)
			continue;
		if (e.arch > *native)
			*native = e.arch;
		if (cubin_runs(e.arch) && (!best.kind || e.arch > best.arch))
			best = e;
	}
	return best.kind ? fatbin_unpack(&best, n) : NULL;
}

bool fatbin_prefers_code(void)
{
	const char *code = getenv("HEDDLE_CODE");
	return code && !strcmp(code, "native");
}

bool cubin_launches(const void *image, size_t size)
{
	static const char name[] = "__cuda_syscall_cnpv2LaunchDevice";
	return memmem(image, size, name, sizeof name - 1);
}

char *fatbin_program(const void *image, size_t size, size_t *n, unsigned *native)
{
	char *code = fatbin_code(image, size, n, native);
	size_t length;
	char *ptx = code && fatbin_prefers_code() ? NULL : fatbin_ptx(image, size, &length);
	if (!ptx)
		return code;
	free(code);
	*n = length;
	return ptx;
}

unsigned fatbin_machine(const void *image)
{
	struct fatbin_entry e;
	unsigned sm = 0;
	size_t size = image ? fatbin_length(image) : 0;
	for (size_t at = 0; size && fatbin_next(image, size, &at, &e);)
		sm = e.machine > sm ? e.machine : sm;
	return sm;
}

bool fatbin_is_ours(const void *image)
{
	struct fatbin_entry e;
	size_t size = image ? fatbin_length(image) : 0;
	for (size_t at = 0; size && fatbin_next(image, size, &at, &e);)
		if (e.ours)
			return true;
	return false;
}
