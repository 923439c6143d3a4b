/* GDB's remote protocol. A thread of GDB is a warp; its number is the block's number times warps
 * per block, plus the warp's number, plus 1. Threads of one warp share a program counter, which GDB
 * steps and shows; its lanes are the elements of registers. Addresses of memory are the kernel's
 * generic ones; code is at CODE_BASE and on, as `monitor info kernels` lists. */
#include "debug/session.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include "debug/packet.h"

static void send_bytes(struct debug *d, const char *data, size_t n)
{
	size_t bytes;
	char *text = packet_make(data, n, &bytes);
	session_write(d, text, bytes);
	free(text);
}

static void send_reply(struct debug *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void send_reply(struct debug *d, const char *fmt, ...)
{
	va_list ap;
	char *text = NULL;
	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n >= 0)
		send_bytes(d, text, (size_t)n);
	free(text);
}

/* Reads available bytes; false: GDB has disconnected. */
static bool read_more(struct debug *d)
{
	char buf[4096];
	ssize_t n;
	do
		n = read(d->in, buf, sizeof buf);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	packets_feed(d->packets, buf, (size_t)n);
	return true;
}

bool gdb_interrupts(struct debug *d)
{
	struct pollfd p = {.fd = d->in, .events = POLLIN};
	if (poll(&p, 1, 0) > 0 && !read_more(d)) {
		d->detached = true;
		return false;
	}
	return packets_take_stop(d->packets);
}

/* ---- threads ---- */

static uint64_t thread_of(const struct debug *d, uint64_t block, uint32_t warp)
{
	return block * d->l->nwarps + warp + 1;
}

static uint64_t chosen_thread(struct debug *d)
{
	view_chosen(d);
	return thread_of(d, d->chosen.block, d->chosen.warp);
}

/* Finds the warp with a thread's number; false: it is not running. */
static bool find_thread(const struct debug *d, uint64_t id, struct who *out)
{
	if (!id)
		return false;
	*out = (struct who){(id - 1) / d->l->nwarps, (uint32_t)((id - 1) % d->l->nwarps)};
	const struct cta *b = view_block(d, out->block);
	return b && fblock_of(b)->warp[out->warp].stack.n;
}

static void list_threads(struct debug *d)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	const struct cluster *c = d->cta->cluster;
	char mark = 'm';
	for (uint32_t i = 0; i < (c ? c->n : 1); i++) {
		const struct cta *b = c ? c->block[i] : d->cta;
		for (uint32_t w = 0; b && w < d->l->nwarps; w++)
			if (fblock_of(b)->warp[w].stack.n) {
				fprintf(f, "%c%llx", mark,
					(unsigned long long)thread_of(d, b->index, w));
				mark = ',';
			}
	}
	fclose(f);
	send_bytes(d, text, n);
	free(text);
}

static void put_hex(FILE *f, const void *data, size_t n)
{
	const uint8_t *p = data;
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%02x", p[i]);
}

static void describe_thread(struct debug *d, const char *args)
{
	struct who who, was = d->chosen;
	char *text = NULL, *hex = NULL;
	size_t n = 0, k = 0;
	if (!find_thread(d, strtoull(args, NULL, 16), &who)) {
		send_reply(d, "E01");
		return;
	}
	struct lanes_at a;
	d->chosen = who;
	const struct fwarp *fw = view_chosen(d);
	d->chosen = was;
	FILE *f = open_memstream(&text, &n);
	const struct cta *b = fw->ws->w.cta;
	fprintf(f, "block (%u,%u,%u) warp %u", b->ctaid[0], b->ctaid[1], b->ctaid[2], who.warp);
	if (view_lanes(d, fw, &a, 1))
		fprintf(f, ", lanes 0x%x%s", a.lanes,
			a.state == SPLIT_BARRIER ? ", waits at a barrier"
			: a.state == SPLIT_SYNC  ? ", waits for lanes"
						 : "");
	fclose(f);
	f = open_memstream(&hex, &k);
	put_hex(f, text, n);
	fclose(f);
	send_bytes(d, hex, k);
	free(text);
	free(hex);
}

/* ---- stops ---- */

static void say_stop(struct debug *d)
{
	const char *signal = d->why == STOPPED_FAULT ? "0b"
			     : d->why == STOPPED_KEY ? "02"
						     : "05",
		   *more = "";
	char watch[40];
	for (size_t i = 0; i < d->breaks.n && d->why == STOPPED_BREAK; i++)
		if (d->breaks.v[i].number == d->number && !d->breaks.v[i].place)
			more = "swbreak:;"; /* at a breakpoint of the user's own, GDB would continue */
	if (d->why == STOPPED_BEGIN)
		more = "replaylog:begin;";
	for (size_t i = 0; i < d->breaks.n && d->why == STOPPED_WATCH; i++)
		if (d->breaks.v[i].number == d->number) {
			snprintf(watch, sizeof watch, "watch:%llx;",
				 (unsigned long long)d->breaks.v[i].addr);
			more = watch;
		}
	send_reply(d, "T%s%sthread:%llx;", signal, more, (unsigned long long)chosen_thread(d));
}

/* Text for the user, in pieces that fit into packets. */
static void say_text(struct debug *d, const char *text, size_t n)
{
	enum { PIECE = 1500 };
	for (size_t at = 0; at < n; at += PIECE) {
		char *hex = NULL;
		size_t k = 0;
		FILE *f = open_memstream(&hex, &k);
		fputc('O', f);
		put_hex(f, text + at, n - at < PIECE ? n - at : PIECE);
		fclose(f);
		send_bytes(d, hex, k);
		free(hex);
	}
}

void gdb_ended(struct debug *d) { send_reply(d, d->killed ? "X09" : "W00"); }

/* ---- registers ---- */

static void put_register(struct debug *d, FILE *f, const target_regs *t, size_t i)
{
	const struct target_reg *r = &t->v[i];
	const struct fwarp *fw = view_chosen(d);
	struct lanes_at a = {0};
	uint64_t v = 0;
	if (!view_lane(d, fw, d->lane, &a))
		view_lanes(d, fw, &a, 1);
	const struct image_func *fn = view_func(d->l->img, a.pc);
	if (!*r->gpu) {
		uint8_t bytes[10] = {0};
		v = i == target_pc()            ? place_address(d, a.pc)
		    : !strcmp(r->name, "lanes") ? a.lanes
		    : !strcmp(r->name, "lane")  ? d->lane
		    : !strcmp(r->name, "warp")  ? d->chosen.warp
		    : !strcmp(r->name, "block") ? d->chosen.block
						: 0;
		memcpy(bytes, &v, sizeof v);
		put_hex(f, bytes, r->reg_bits / 8);
		return;
	}
	int64_t reg = view_register(fn, r->gpu, strlen(r->gpu));
	for (unsigned lane = 0; lane < LANES; lane++) {
		uint8_t value[16] = {0};
		unsigned bytes =
			reg < 0 ? 0 : view_value(fw, fn, &a.frame, (uint32_t)reg, lane, value);
		for (unsigned k = 0; !bytes && k < r->reg_bits / 8; k++)
			fputs("xx", f);
		if (bytes)
			put_hex(f, value, r->reg_bits / 8);
	}
}

static void send_registers(struct debug *d, const target_regs *t, size_t from, size_t to)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	for (size_t i = from; i < to; i++)
		put_register(d, f, t, i);
	fclose(f);
	send_bytes(d, text, n);
	free(text);
}

static size_t core_count(const target_regs *t)
{
	size_t n = 0;
	while (n < t->n && t->v[n].core)
		n++;
	return n;
}

/* ---- memory ---- */

static bool parse_range(const char *s, uint64_t *addr, uint64_t *n, const char **rest)
{
	char *end;
	if (!isxdigit((unsigned char)*s))
		return false;
	*addr = strtoull(s, &end, 16);
	if (*end != ',' || !isxdigit((unsigned char)end[1]))
		return false;
	*n = strtoull(end + 1, &end, 16);
	*rest = end;
	return true;
}

static void read_memory(struct debug *d, const char *args)
{
	uint64_t addr, n;
	const char *rest;
	if (!parse_range(args, &addr, &n, &rest) || *rest) {
		send_reply(d, "E16");
		return;
	}
	char *hex = NULL;
	size_t k = 0;
	FILE *f = open_memstream(&hex, &k);
	uint8_t byte;
	for (uint64_t i = 0; i < n && i < PACKET_MOST / 2 - 1 && view_read(d, addr + i, &byte, 1);
	     i++)
		put_hex(f, &byte, 1);
	fclose(f);
	if (k || !n)
		send_bytes(d, hex, k);
	else
		send_reply(d, "E0e");
	free(hex);
}

static int nibble_of(char c)
{
	return isdigit((unsigned char)c)    ? c - '0'
	       : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
					    : -1;
}

/* Decodes hexadecimal text to malloc'ed bytes; NULL: invalid. */
static uint8_t *decode_hex(const char *s, size_t digits)
{
	uint8_t *out = digits % 2 ? NULL : malloc(digits / 2 + 1);
	for (size_t i = 0; out && i < digits / 2; i++) {
		int a = nibble_of(s[2 * i]), b = nibble_of(s[2 * i + 1]);
		if (a < 0 || b < 0) {
			free(out);
			return NULL;
		}
		out[i] = (uint8_t)(a * 16 + b);
	}
	return out;
}

static void write_memory(struct debug *d, const char *args)
{
	uint64_t addr, n;
	const char *rest;
	bool ok = parse_range(args, &addr, &n, &rest) && *rest == ':' && strlen(rest + 1) == 2 * n;
	uint8_t *data = ok ? decode_hex(rest + 1, 2 * n) : NULL;
	if (!data)
		send_reply(d, "E16");
	else
		send_reply(d, "%s", view_write(d, addr, data, n) ? "OK" : "E0e");
	free(data);
}

/* ---- breakpoints ---- */

static void set_breakpoint(struct debug *d, const char *text)
{
	uint64_t addr, size;
	const char *rest;
	bool insert = *text == 'Z';
	char type = text[1];
	if (!strchr("012", type) || !type) {
		send_reply(d, "%s", "");
		return;
	}
	if (text[2] != ',' || !parse_range(text + 3, &addr, &size, &rest) ||
	    (type == '2' && (!size || size > 8))) {
		send_reply(d, "E16");
		return;
	}
	enum break_kind kind = type == '2' ? BREAK_WATCH : BREAK_CODE;
	for (size_t i = 0; i < d->breaks.n; i++) {
		struct breakpoint *b = &d->breaks.v[i];
		if (!b->place && b->kind == kind && b->addr == addr) {
			if (!insert)
				place_remove(d, b->number);
			send_reply(d, "OK");
			return;
		}
	}
	if (insert) {
		struct breakpoint b = {
			.kind = kind, .addr = addr, .size = (uint32_t)size, .number = ++d->numbers};
		vec_push(&d->breaks, b);
		place_mark(d);
	}
	send_reply(d, "OK");
}

/* ---- queries ---- */

static void send_part(struct debug *d, const char *text, size_t n, const char *range)
{
	uint64_t from, most;
	const char *rest;
	if (!parse_range(range, &from, &most, &rest) || *rest) {
		send_reply(d, "E16");
		return;
	}
	from = from < n ? from : n;
	most = most < 4000 ? most : 4000;
	size_t k = n - from < most ? n - (size_t)from : (size_t)most;
	char *part = malloc(k + 1);
	if (!part)
		return;
	part[0] = from + k < n ? 'm' : 'l';
	memcpy(part + 1, text + from, k);
	send_bytes(d, part, k + 1);
	free(part);
}

static void run_monitor(struct debug *d, const char *hex)
{
	size_t digits = strlen(hex);
	char *line = (char *)decode_hex(hex, digits), *text = NULL;
	size_t n = 0;
	if (!line) {
		send_reply(d, "E16");
		return;
	}
	line[digits / 2] = 0;
	FILE *f = open_memstream(&text, &n);
	struct who was = d->chosen; /* GDB's last question was about any thread */
	d->chosen = d->told_of;
	session_command(d, line, f, false);
	d->told_of = d->chosen;
	d->chosen = was;
	fclose(f);
	say_text(d, text, n);
	send_reply(d, "OK");
	free(text);
	free(line);
}

static void answer_query(struct debug *d, const char *s, const target_regs *t)
{
	static const char features[] = "qXfer:features:read:target.xml:";
	struct who who;
	if (!strncmp(s, "qSupported", 10)) {
		send_reply(
			d,
			"PacketSize=%x;qXfer:features:read+;QStartNoAckMode+;swbreak+;vContSupported+;"
			"ReverseStep%s;ReverseContinue%s",
			PACKET_MOST / 2, d->no_way_back ? "-" : "+", d->no_way_back ? "-" : "+");
	} else if (!strncmp(s, features, sizeof features - 1)) {
		char *xml = target_xml(t);
		send_part(d, xml, strlen(xml), s + sizeof features - 1);
		free(xml);
	} else if (!strcmp(s, "qfThreadInfo")) {
		list_threads(d);
	} else if (!strcmp(s, "qsThreadInfo")) {
		send_reply(d, "l");
	} else if (!strncmp(s, "qThreadExtraInfo,", 17)) {
		describe_thread(d, s + 17);
	} else if (!strcmp(s, "qC")) {
		send_reply(d, "QC%llx", (unsigned long long)chosen_thread(d));
	} else if (!strncmp(s, "qAttached", 9)) {
		send_reply(d, "1");
	} else if (!strncmp(s, "qRcmd,", 6)) {
		run_monitor(d, s + 6);
	} else if (*s == 'T') {
		send_reply(d, "%s", find_thread(d, strtoull(s + 1, NULL, 16), &who) ? "OK" : "E01");
	} else {
		send_reply(d, "%s", "");
	}
}

/* ---- going on ---- */

static void choose_thread(struct debug *d, const char *id)
{
	struct who who;
	if (*id != '-' && *id != '0' && find_thread(d, strtoull(id, NULL, 16), &who))
		d->chosen = who;
}

/* vCont: the first action with a step names the warp to step; without one, all warps continue. */
static bool continue_threads(struct debug *d, const char *s)
{
	for (; *s == ';'; s += strcspn(s + 1, ";") + 1)
		if (s[1] == 's' || s[1] == 'S') {
			const char *colon = strchr(s + 1, ':');
			const char *next = strchr(s + 1, ';');
			if (colon && (!next || colon < next))
				choose_thread(d, colon + 1);
			session_go(d, GO_STEP, 1);
			return true;
		} else if (s[1] != 'c' && s[1] != 'C') {
			send_reply(d, "E16");
			return false;
		}
	session_go(d, GO_FREE, 1);
	return true;
}

static bool go_back(struct debug *d, bool step)
{
	const char *why = session_back(d, step);
	if (why)
		send_reply(d, "E.%s", why);
	return !why;
}

/* Handles a packet. True: the launch continues. */
static bool take_packet(struct debug *d, char *s, const target_regs *t, bool *acks)
{
	switch (*s) {
	case '?': say_stop(d); return false;
	case 'g': send_registers(d, t, 0, core_count(t)); return false;
	case 'p': {
		uint64_t i = strtoull(s + 1, NULL, 16);
		if (i < t->n)
			send_registers(d, t, i, i + 1);
		else
			send_reply(d, "E16");
		return false;
	}
	case 'G':
	case 'P': send_reply(d, "E01"); return false;
	case 'm': read_memory(d, s + 1); return false;
	case 'M': write_memory(d, s + 1); return false;
	case 'Z':
	case 'z': set_breakpoint(d, s); return false;
	case 'H':
		choose_thread(d, s[1] ? s + 2 : s + 1);
		send_reply(d, "OK");
		return false;
	case 'T':
	case 'q': answer_query(d, s, t); return false;
	case 'Q':
		send_reply(d, "%s", strcmp(s, "QStartNoAckMode") ? "" : "OK");
		*acks &= strcmp(s, "QStartNoAckMode") != 0;
		return false;
	case 'v':
		if (!strcmp(s, "vCont?"))
			send_reply(d, "vCont;c;C;s;S");
		else if (!strncmp(s, "vCont", 5))
			return continue_threads(d, s + 5);
		else if (!strncmp(s, "vKill", 5)) {
			send_reply(d, "OK");
			session_go(d, GO_KILL, 1);
			d->detached = true;
			return true;
		} else
			send_reply(d, "%s", "");
		return false;
	case 'c': session_go(d, GO_FREE, 1); return true;
	case 's': session_go(d, GO_STEP, 1); return true;
	case 'b':
		if (strcmp(s, "bs") && strcmp(s, "bc"))
			send_reply(d, "%s", "");
		else
			return go_back(d, s[1] == 's');
		return false;
	case 'k':
		session_go(d, GO_KILL, 1);
		d->detached = true;
		return true;
	case 'D':
		send_reply(d, "OK");
		session_go(d, GO_FREE, 1);
		d->detached = true;
		return true;
	default: send_reply(d, "%s", ""); return false;
	}
}

void gdb_serve(struct debug *d)
{
	target_regs t = {0};
	char *text;
	size_t n;
	target_list(d->l->img, &t);
	if (d->why == STOPPED_FAULT && d->trouble) {
		say_text(d, d->trouble, strlen(d->trouble));
		say_text(d, "\n", 1);
	}
	if (d->why != STOPPED_START) /* GDB asks for the reason of the first stop itself */
		say_stop(d);
	for (bool goes = false; !goes && !d->detached;) {
		switch (packets_next(d->packets, &text, &n)) {
		case PACKET_NONE: d->detached = !read_more(d); break;
		case PACKET_BAD:
			if (!d->no_acks)
				session_write(d, "-", 1);
			break;
		case PACKET_DATA: {
			bool acks = !d->no_acks;
			if (acks)
				session_write(d, "+", 1);
			goes = take_packet(d, text, &t, &acks);
			d->no_acks = !acks;
			break;
		}
		case PACKET_TAKEN:
		case PACKET_AGAIN:
		case PACKET_STOP: break;
		}
	}
	vec_free(&t);
}
