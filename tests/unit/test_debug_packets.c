/* GDB's packets in a byte stream: complete, truncated and invalid ones, and random bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "debug/packet.h"

static enum packet_kind next(struct packets *p, const char *feed, const char *want)
{
	char *text = NULL;
	size_t n = 0;
	packets_feed(p, feed, strlen(feed));
	enum packet_kind k = packets_next(p, &text, &n);
	if (k == PACKET_DATA) {
		assert_int_equal(n, strlen(want));
		assert_memory_equal(text, want, n + 1);
	}
	return k;
}

static void whole_packets(void **state)
{
	(void)state;
	struct packets *p = packets_new();
	assert_int_equal(next(p, "+$g#67", ""), PACKET_TAKEN);
	assert_int_equal(next(p, "", "g"), PACKET_DATA);
	assert_int_equal(next(p, "-", ""), PACKET_AGAIN);
	assert_int_equal(next(p, "\x03", ""), PACKET_STOP);
	assert_int_equal(next(p, "$#00", ""), PACKET_DATA);
	assert_int_equal(next(p, "$a}\x03#e1", "a#"), PACKET_DATA);
	assert_int_equal(next(p, "$g#67$s#73", "g"), PACKET_DATA);
	assert_int_equal(next(p, "", "s"), PACKET_DATA);
	assert_int_equal(next(p, "", ""), PACKET_NONE);
	packets_free(p);
}

static void packets_in_pieces(void **state)
{
	(void)state;
	static const char text[] = "$vCont;s:1#2";
	struct packets *p = packets_new();
	for (size_t i = 0; text[i]; i++)
		assert_int_equal(next(p, (char[]){text[i], 0}, ""), PACKET_NONE);
	assert_int_equal(next(p, "4", ""), PACKET_BAD);
	for (size_t i = 0; text[i]; i++)
		assert_int_equal(next(p, (char[]){text[i], 0}, ""), PACKET_NONE);
	assert_int_equal(next(p, "3", "vCont;s:1"), PACKET_DATA);
	packets_free(p);
}

static void wrong_packets(void **state)
{
	(void)state;
	struct packets *p = packets_new();
	assert_int_equal(next(p, "$g#68", ""), PACKET_BAD);
	assert_int_equal(next(p, "$g#zz", ""), PACKET_BAD);
	/* a packet that is cut off by the next one */
	assert_int_equal(next(p, "$m1000,$g#67", "g"), PACKET_DATA);
	/* an escape character at the end changes nothing */
	assert_int_equal(next(p, "$}#7d", "}"), PACKET_DATA);
	/* bytes that are none */
	assert_int_equal(next(p, "hello\n$g#67", "g"), PACKET_DATA);
	packets_free(p);
}

static void long_packets(void **state)
{
	(void)state;
	struct packets *p = packets_new();
	char *many = malloc(PACKET_MOST + 100);
	memset(many, 'a', PACKET_MOST + 99);
	many[PACKET_MOST + 99] = 0;
	assert_int_equal(next(p, "$", ""), PACKET_NONE);
	for (int i = 0; i < 4; i++)
		assert_int_equal(next(p, many, ""), PACKET_NONE);
	assert_int_equal(next(p, "#00", ""), PACKET_BAD);
	assert_int_equal(next(p, "$g#67", "g"), PACKET_DATA);
	free(many);
	packets_free(p);
}

static void stops_between_packets(void **state)
{
	(void)state;
	struct packets *p = packets_new();
	assert_false(packets_take_stop(p));
	packets_feed(p, "+\x03$g#67", 7);
	assert_true(packets_take_stop(p));
	assert_false(packets_take_stop(p));
	assert_int_equal(next(p, "", "g"), PACKET_DATA);
	packets_free(p);
}

/* packets_next() reads what packet_make() writes, for any bytes. */
static void round_trip(void **state)
{
	(void)state;
	char data[256];
	size_t n, k;
	char *text;
	for (int i = 0; i < 256; i++)
		data[i] = (char)i;
	char *made = packet_make(data, sizeof data, &n);
	struct packets *p = packets_new();
	packets_feed(p, made, n);
	assert_int_equal(packets_next(p, &text, &k), PACKET_DATA);
	assert_int_equal(k, sizeof data);
	assert_memory_equal(text, data, k);
	free(made);
	packets_free(p);
}

static void random_bytes(void **state)
{
	(void)state;
	static const char likely[] = "$#+-\x03}*gmZ0123456789abcdef,;:";
	struct packets *p = packets_new();
	uint32_t x = 12345;
	size_t n, whole = 0;
	char *text;
	for (int i = 0; i < 300000; i++) {
		x = x * 1664525 + 1013904223;
		char c = x >> 31 ? (char)(x >> 8) : likely[(x >> 8) % (sizeof likely - 1)];
		packets_feed(p, &c, 1);
		for (enum packet_kind k; (k = packets_next(p, &text, &n)) != PACKET_NONE;)
			whole += k == PACKET_DATA || k == PACKET_BAD;
	}
	assert_true(whole > 1000);
	packets_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_packets),         cmocka_unit_test(packets_in_pieces),
		cmocka_unit_test(wrong_packets),         cmocka_unit_test(long_packets),
		cmocka_unit_test(stops_between_packets), cmocka_unit_test(round_trip),
		cmocka_unit_test(random_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
