/* Packets of GDB's remote protocol: see packet.h. */
#include "debug/packet.h"

#include <stdint.h>
#include "base/vec.h"

struct packets {
	VEC(char) bytes; /* the bytes since the start of the last packet */
	bool inside;     /* bytes[0] follows a $ */
	bool too_long;   /* the payload's end is awaited, and dropped */
	char *text;      /* the last payload */
};

struct packets *packets_new(void) { return xcalloc(1, sizeof(struct packets)); }

void packets_free(struct packets *p)
{
	if (!p)
		return;
	vec_free(&p->bytes);
	free(p->text);
	free(p);
}

void packets_feed(struct packets *p, const void *bytes, size_t n)
{
	vec_reserve(&p->bytes, p->bytes.n + n + 1);
	if (n)
		memcpy(p->bytes.v + p->bytes.n, bytes, n);
	p->bytes.n += n;
}

static void drop_bytes(struct packets *p, size_t n)
{
	memmove(p->bytes.v, p->bytes.v + n, p->bytes.n - n);
	p->bytes.n -= n;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* The payload of n raw bytes, without escapes. */
static size_t decode_payload(const char *raw, size_t n, char *out)
{
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		if (raw[i] == '}' && i + 1 < n)
			out[k++] = (char)(raw[++i] ^ 0x20);
		else
			out[k++] = raw[i];
	}
	out[k] = 0;
	return k;
}

static enum packet_kind end_packet(struct packets *p, size_t len, char **text, size_t *n)
{
	int high = hex_digit(p->bytes.v[len + 1]), low = hex_digit(p->bytes.v[len + 2]);
	uint8_t sum = 0;
	for (size_t i = 0; i < len; i++)
		sum += (uint8_t)p->bytes.v[i];
	bool ok = !p->too_long && high >= 0 && low >= 0 && sum == high * 16 + low;
	free(p->text);
	p->text = xmalloc(len + 1);
	*n = decode_payload(p->bytes.v, len, p->text);
	*text = p->text;
	drop_bytes(p, len + 3);
	p->inside = p->too_long = false;
	return ok ? PACKET_DATA : PACKET_BAD;
}

static enum packet_kind next_inside(struct packets *p, char **text, size_t *n)
{
	const char *end = p->bytes.n ? memchr(p->bytes.v, '#', p->bytes.n) : NULL,
		   *again = p->bytes.n ? memchr(p->bytes.v, '$', p->bytes.n) : NULL;
	if (again && (!end || again < end)) { /* the previous packet was incomplete */
		drop_bytes(p, (size_t)(again - p->bytes.v) + 1);
		p->too_long = false;
		return next_inside(p, text, n);
	}
	size_t len = end ? (size_t)(end - p->bytes.v) : p->bytes.n;
	if (len > PACKET_MOST) {
		p->too_long = true;
		drop_bytes(p, len);
		len = 0;
	}
	if (!end || p->bytes.n < len + 3)
		return PACKET_NONE;
	return end_packet(p, len, text, n);
}

enum packet_kind packets_next(struct packets *p, char **text, size_t *n)
{
	while (!p->inside && p->bytes.n) {
		char c = p->bytes.v[0];
		drop_bytes(p, 1);
		if (c == '$')
			p->inside = true;
		else if (c == '+')
			return PACKET_TAKEN;
		else if (c == '-')
			return PACKET_AGAIN;
		else if (c == 3)
			return PACKET_STOP;
	}
	return p->inside ? next_inside(p, text, n) : PACKET_NONE;
}

bool packets_take_stop(struct packets *p)
{
	if (p->inside || !p->bytes.n)
		return false;
	size_t k = 0;
	while (k < p->bytes.n && (p->bytes.v[k] == '+' || p->bytes.v[k] == '-'))
		k++;
	if (k == p->bytes.n || p->bytes.v[k] != 3)
		return false;
	drop_bytes(p, k + 1);
	return true;
}

char *packet_make(const void *data, size_t n, size_t *out)
{
	const char *s = data;
	static const char hex[] = "0123456789abcdef";
	char *text = xmalloc(2 * n + 5);
	size_t k = 0;
	uint8_t sum = 0;
	text[k++] = '$';
	for (size_t i = 0; i < n; i++) {
		bool escape = s[i] == '$' || s[i] == '#' || s[i] == '}' || s[i] == '*';
		if (escape)
			text[k++] = '}';
		text[k++] = escape ? (char)(s[i] ^ 0x20) : s[i];
	}
	for (size_t i = 1; i < k; i++)
		sum += (uint8_t)text[i];
	text[k++] = '#';
	text[k++] = hex[sum >> 4];
	text[k++] = hex[sum & 15];
	text[k] = 0;
	*out = k;
	return text;
}
