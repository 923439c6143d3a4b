/* A kernel's profile by line, summed from a run's statistics by instruction. */
#ifndef COMMAND_LINES_H
#define COMMAND_LINES_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Figures of a line, summed over its instructions. */
struct line {
	const char *file; /* file name, stored in the statistics */
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
	double apart; /* distance in bytes between neighbouring lanes, summed over requests */
	/* instructions with one common distance between neighbouring lanes, in bytes: of all
	 * accesses that use only parts of their sectors, those with the most sectors; requests 0:
	 * no such access */
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
	bool by_source, timed, energy; /* energy: energies are printed */
	double warp;                   /* lanes per warp */
	struct line *line;
	size_t n;
	struct line sum;
};

/* Sums the instructions of view->kernel by line, sorted by file and number; kernel, by_source and
 * warp must be set. False: out of memory. */
bool lines_gather(struct view *v);
void lines_free(struct view *v);
/* Returns the line of a file; NULL: no instruction belongs to it. */
const struct line *lines_find(const struct view *v, const char *file, uint64_t no);
bool lines_have_source(const json_t *kernel);
/* Returns a source file's lines; *text is the memory behind them, and the caller frees both. NULL:
 * the file does not exist here. */
char **lines_read(const char *path, size_t len, char **text, size_t *count);

uint64_t json_number(const json_t *o, const char *key); /* 0: no such key */
/* fraction of lanes that executed */
double line_efficiency(const struct view *v, const struct line *l);
/* lost issue slots of the line, divided by the kernel's */
double line_lost(const struct view *v, const struct line *l);
/* Describes why the line's accesses to memory are expensive; "": they are not. */
void line_remark(const struct line *l, char *text, size_t size);
/* Returns the cause of most stall cycles at the line, and sets *cycles to their number. */
const char *line_cause(const struct line *l, uint64_t *cycles);

#endif
