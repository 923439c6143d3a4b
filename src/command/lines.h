/* A kernel's profile by line, summed from a run's statistics by instruction. */
#ifndef COMMAND_LINES_H
#define COMMAND_LINES_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sums over the instructions of a line. */
struct line {
	const char *file; /* file's name, which belongs to the statistics */
	size_t file_len;
	uint64_t number; /* line number; 0: machine code, identified by `pc` */
	uint64_t pc;
	const char *text; /* the line's text; NULL: not known */
	uint64_t issued, lanes, divergent, transactions, stall;
	uint64_t requests,
		/* instructions that access global and local memory, and the 32-byte sectors that
		 * they became */
		sectors;
	uint64_t local; /* part of `requests` that went to local memory */
	/* instructions with bank conflicts; cycles of these conflicts */
	uint64_t conflicting, conflicts;
	double apart; /* bytes between neighbouring lanes, summed over requests */
	/* instructions of one distance between neighbouring lanes, in bytes: those with most sectors of the
	 * accesses whose lanes waste parts of sectors; 0 requests: none does */
	struct {
		double apart;
		uint64_t requests, sectors;
	} sparse;
	/* energy by events, J; share of the time-proportional energy, divided by issue slots, J */
	double joule, joule_time;
	json_t *stalls; /* issue slots lost, by cause */
};

struct view {
	const json_t *kernel;          /* the kernel's object in the statistics */
	bool by_source, timed, energy; /* energy: energies are shown */
	double warp;                   /* lanes per warp */
	struct line *line;
	size_t n;
	struct line sum;
};

/* Gathers the lines of view->kernel, ordered by file and number; kernel, by_source and warp must be
 * set. False: out of memory. */
bool lines_gather(struct view *v);
void lines_free(struct view *v);
/* NULL: no such line */
const struct line *lines_find(const struct view *v, const char *file, uint64_t no);
bool lines_have_source(const json_t *kernel);
/* Returns a source file's lines; *text is the memory behind them, and the caller frees both. NULL:
 * the file does not exist here. */
char **lines_read(const char *path, size_t len, char **text, size_t *count);

uint64_t json_number(const json_t *o, const char *key); /* 0: no such key */
/* fraction of lanes that executed */
double line_efficiency(const struct view *v, const struct line *l);
/* lost issue slots of the line, relative to all of the kernel */
double line_lost(const struct view *v, const struct line *l);
/* Describes why the line's accesses to memory are expensive; "": they are not. */
void line_remark(const struct line *l, char *text, size_t size);
/* Returns the cause of the longest waits at the line, and sets *cycles. */
const char *line_cause(const struct line *l, uint64_t *cycles);

#endif
