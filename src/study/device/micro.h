/* Common parts of the microbenchmark tables: a machine with a family's code, launches, and a list of tables. */
#ifndef STUDY_DEVICE_MICRO_H
#define STUDY_DEVICE_MICRO_H
#include "heddle.h"
#include "study/device/device.h"
#include "study/device/tsv.h"

struct rig {
	const struct device *d;
	const char *size;
	char loaded[64]; /* family whose machine code is loaded; "": none */
	const char *config;
	struct heddle *h;
	struct heddle_module *module;
	uint64_t out;
	struct tsv t, alu, entries; /* the table; micro_alu_latency, micro_entries */
	char why[400];              /* reason why the current row has no simulated value */
	/* micro3.c: address of the data buffer; bytes of it that no launch has touched yet */
	uint64_t buffer, fresh;
};

/* A table: the columns with the measured value and with the names of a row (separated by blanks),
 * and the function that simulates a row. The function returns false after refuse_row() or a failed
 * call. */
struct micro_table {
	const char *name, *file, *measured, *unit, *what;
	bool (*run)(struct rig *r, unsigned row, double *x);
};
extern const struct micro_table micro3_tables[];
extern const unsigned micro3_table_count;

/* Records why the current row has no simulated value; returns false. */
bool refuse_row(struct rig *r, const char *why);
bool check_call(struct rig *r, enum heddle_status s);
/* Loads a family's machine code into a machine in its initial state, unless that code is already
 * loaded. Families micro3_* have code for sm_90a. */
bool want_family(struct rig *r, const char *family);
/* Returns a cell as a number; `otherwise`: the cell is not a number. */
unsigned count_of(const struct rig *r, unsigned row, const char *column, unsigned otherwise);

struct args {
	unsigned char byte[256];
	unsigned n;
};
void add_arg(struct args *a, uint64_t v, unsigned size);
struct blocks {
	unsigned grid, threads, cluster, shared;
};
bool launch_blocks(struct rig *r, const char *entry, const struct blocks *b, const struct args *a);

#endif
