/* A kernel's profile by line, summed from a run's statistics by instruction. */
#ifndef COMMAND_LINES_H
#define COMMAND_LINES_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the instructions of a line did. */
struct line {
	const char *file; /* of the statistics */
	size_t file_len;
	uint64_t number; /* 0: machine code, `pc` instead */
	uint64_t pc;
	const char *text; /* NULL: not known */
	uint64_t issued, lanes, divergent, transactions, stall;
	uint64_t requests,
		sectors; /* of global and local memory: instructions, and 32-byte sectors they became */
	uint64_t local;                  /* of these requests to local memory */
	uint64_t conflicting, conflicts; /* instructions with bank conflicts, and cycles of these */
	double apart; /* bytes between neighbouring lanes, summed over requests */
	double joule,
		joule_time; /* by events; share of the time-proportional energy, by issue slots */
	json_t *stalls;     /* by cause */
};

struct view {
	const json_t *kernel;          /* its object in the statistics */
	bool by_source, timed, energy; /* energy: is to be shown */
	double warp;                   /* lanes of a warp */
	struct line *line;
	size_t n;
	struct line sum;
};

/* Gathers the lines of view->kernel, ordered by file and number; view has kernel, by_source and
 * warp set. False: out of memory. */
bool lines_gather(struct view *v);
void lines_free(struct view *v);
/* NULL: nothing there */
const struct line *lines_find(const struct view *v, const char *file, uint64_t no);
bool lines_have_source(const json_t *kernel);
/* A source file's lines, in *text which the caller frees as well; NULL: there is no such file
 * here. */
char **lines_read(const char *path, size_t len, char **text, size_t *count);

uint64_t json_number(const json_t *o, const char *key);             /* 0: none */
double line_efficiency(const struct view *v, const struct line *l); /* lanes that executed */
/* slots left empty, of all of the kernel */
double line_lost(const struct view *v, const struct line *l);
/* What is expensive about the line's accesses to memory, in words; "": nothing. */
void line_remark(const struct line *l, char *text, size_t size);
/* What warps waited for longest, and how long. */
const char *line_cause(const struct line *l, uint64_t *cycles);

#endif
