/* Packets of GDB's remote protocol in a stream of bytes:
 *
 *   $payload#cs    cs: sum of the payload's bytes modulo 256, two hexadecimal digits
 *   + -            the last packet was accepted; must be sent again
 *   0x03           stop
 *
 * In a payload, 0x7d is followed by a byte exclusive-ored with 0x20, and * by a repeat count, which
 * only answers may use. Bytes that form no packet are discarded. */
#ifndef DEBUG_PACKET_H
#define DEBUG_PACKET_H
#include <stdbool.h>
#include <stddef.h>

/* longest payload in bytes; a longer payload is PACKET_BAD */
enum { PACKET_MOST = 1 << 16 };

enum packet_kind {
	PACKET_NONE, /* PACKET_NONE: no complete packet has arrived */
	PACKET_DATA,
	PACKET_BAD, /* wrong checksum, or too long */
	PACKET_TAKEN,
	PACKET_AGAIN,
	PACKET_STOP,
};

struct packets;
struct packets *packets_new(void);
void packets_free(struct packets *p);
void packets_feed(struct packets *p, const void *bytes, size_t n);
/* Returns the kind of the next item. PACKET_DATA: *text, valid until the next call, has n bytes and
 * a terminating zero. */
enum packet_kind packets_next(struct packets *p, char **text, size_t *n);
/* Removes a stop request (0x03) between packets; true: there was one. */
bool packets_take_stop(struct packets *p);
/* Returns a packet with this payload, malloc'ed. */
char *packet_make(const void *data, size_t n, size_t *out);

#endif
