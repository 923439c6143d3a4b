/* The fat binary reader: choice of the entry, both compressions, damaged files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cuda/module/fatbin.c"

static const char text[] =
	".version 6.0\n.target sm_70\n.address_size 64\n// one one one one one one one one\n";
static const char newer[] =
	".version 7.0\n.target sm_80\n.address_size 64\n// two two two two two two two two\n";

struct buf {
	uint8_t b[8192];
	size_t n;
};

static void put(struct buf *o, uint64_t v, unsigned bytes)
{
	assert_true(bytes <= sizeof o->b - o->n);
	for (unsigned i = 0; i < bytes; i++)
		o->b[o->n++] = (uint8_t)(v >> (8 * i));
}

static void begin(struct buf *o)
{
	o->n = 0;
	put(o, FATBIN_MAGIC, 4);
	put(o, 1, 2);
	put(o, 16, 2);
	put(o, 0, 8);
}

static void end(struct buf *o)
{
	size_t n = o->n;
	o->n = 8;
	put(o, n - 16, 8);
	o->n = n;
}

/* Appends an entry with a header of `head` bytes; CUDA 13's header has 80. */
static void add(struct buf *o, unsigned kind, unsigned arch, const char *s, enum fatbin_packing p,
		unsigned head)
{
	uint8_t packed[4096];
	size_t raw = strlen(s) + 1, n = raw, start = o->n;
	memcpy(packed, s, n);
	if (p == FATBIN_LZ4)
		n = (size_t)LZ4_compress_default(s, (char *)packed, (int)raw, sizeof packed);
	else if (p == FATBIN_ZSTD)
		n = ZSTD_compress(packed, sizeof packed, s, raw, 3);
	size_t body = (n + 7) / 8 * 8;
	put(o, kind, 2);
	put(o, 0x101, 2);
	put(o, head, 4);
	put(o, body, 8);
	put(o, p ? n : 0, 4);
	put(o, 0, 4);
	put(o, 0x60000, 4);
	put(o, arch, 4);
	put(o, 0, 8);
	put(o, 0x11 | (p == FATBIN_LZ4 ? FLAG_LZ4 : p == FATBIN_ZSTD ? FLAG_ZSTD : 0), 8);
	put(o, 0, 8);
	put(o, p ? raw : 0, 8);
	while (o->n < start + head)
		put(o, 0, 1);
	memcpy(o->b + o->n, packed, n);
	memset(o->b + o->n + n, 0, body - n);
	o->n += body;
}

static void packings(void **state)
{
	(void)state;
	for (int p = FATBIN_PLAIN; p <= FATBIN_ZSTD; p++)
		for (unsigned head = 64; head <= 80; head += 16) {
			struct buf o;
			size_t n;
			unsigned native;
			begin(&o);
			add(&o, FATBIN_PTX, 70, text, (enum fatbin_packing)p, head);
			end(&o);
			assert_int_equal(fatbin_length(o.b), o.n);
			char *s = fatbin_program(o.b, o.n, &n, &native);
			assert_non_null(s);
			assert_string_equal(s, text);
			assert_int_equal(n, strlen(text));
			assert_int_equal(native, 0);
			free(s);
		}
}

/* PTX and machine code by themselves; machine code that launches kernels. */
static void kinds(void **state)
{
	struct buf o;
	size_t n;
	unsigned native;
	(void)state;
	begin(&o);
	add(&o, FATBIN_ELF, 80, "older code", FATBIN_PLAIN, 64);
	add(&o, FATBIN_PTX, 70, text, FATBIN_LZ4, 64);
	add(&o, FATBIN_ELF, 90, "calls __cuda_syscall_cnpv2LaunchDeviceV2 here", FATBIN_ZSTD, 64);
	add(&o, FATBIN_ELF, 120, "code of a chip that is not executed", FATBIN_PLAIN, 64);
	end(&o);
	char *ptx = fatbin_ptx(o.b, o.n, &n), *code = fatbin_code(o.b, o.n, &n, &native);
	assert_string_equal(ptx, text);
	assert_string_equal(code, "calls __cuda_syscall_cnpv2LaunchDeviceV2 here");
	assert_int_equal(native, 120);
	assert_true(cubin_launches(code, n));
	assert_false(cubin_launches(ptx, strlen(ptx)));
	free(ptx);
	free(code);
	begin(&o);
	add(&o, FATBIN_ELF, 80, "code alone", FATBIN_PLAIN, 64);
	end(&o);
	assert_null(fatbin_ptx(o.b, o.n, &n));
	begin(&o);
	add(&o, FATBIN_PTX, 70, text, FATBIN_PLAIN, 64);
	end(&o);
	assert_null(fatbin_code(o.b, o.n, &n, &native));
	assert_int_equal(native, 0);
	setenv("HEDDLE_CODE", "native", 1);
	assert_true(fatbin_prefers_code());
	unsetenv("HEDDLE_CODE");
	assert_false(fatbin_prefers_code());
}

static void newest(void **state)
{
	struct buf o;
	size_t n;
	unsigned native;
	(void)state;
	begin(&o);
	add(&o, FATBIN_ELF, 90, "machine code", FATBIN_PLAIN, 64);
	add(&o, FATBIN_PTX, 70, text, FATBIN_LZ4, 64);
	add(&o, FATBIN_PTX, 80, newer, FATBIN_ZSTD, 80);
	add(&o, FATBIN_PTX, 60, text, FATBIN_PLAIN, 64);
	end(&o);
	char *s = fatbin_program(o.b, o.n, &n, &native);
	assert_string_equal(s, newer);
	assert_int_equal(native, 90);
	free(s);
	begin(&o);
	add(&o, FATBIN_ELF, 90, "machine code", FATBIN_PLAIN, 64);
	end(&o);
	s = fatbin_program(o.b, o.n, &n, &native); /* no PTX: the machine code is the program */
	assert_memory_equal(s, "machine code", strlen("machine code"));
	assert_int_equal(native, 90);
	free(s);
}

static void damaged(void **state)
{
	struct buf o;
	size_t n;
	unsigned native;
	(void)state;
	for (int p = FATBIN_LZ4; p <= FATBIN_ZSTD; p++) {
		begin(&o);
		add(&o, FATBIN_PTX, 70, text, (enum fatbin_packing)p, 64);
		end(&o);
		memset(o.b + 80, 0xff, 12); /* the packed bytes */
		assert_null(fatbin_program(o.b, o.n, &n, &native));
	}
	begin(&o);
	add(&o, FATBIN_PTX, 70, text, FATBIN_PLAIN, 64);
	end(&o);
	for (size_t cut = 0; cut < o.n; cut++) /* copies of exactly the remaining size */
		free(fatbin_program(o.b, cut, &n, &native));
	o.b[24 + 7] = 0x7f; /* a size beyond the end */
	assert_null(fatbin_program(o.b, o.n, &n, &native));
	o.b[0] = 0;
	assert_int_equal(fatbin_length(o.b), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(packings), cmocka_unit_test(kinds),
					   cmocka_unit_test(newest), cmocka_unit_test(damaged)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
