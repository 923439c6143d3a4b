/* heddle reproduce DEVICE: a GPU's measurements compared with the simulation of equal code on its
 * machine file.
 *
 * A device is a folder of studies/ with device.ini, tables (tsv.h), machine code (sm_NN/) and PTX
 * (ptx/). studies/h200 is an example, and describes its tables.
 *
 *   micro.c     rows of microbenchmark tables and of energies, run one after the other in this process
 *   micro3.c    tables of tensor cores, shared memory, barriers, copies and clusters
 *   programs.c  the workload suite: its runs, and their statistics compared with Nsight Compute's figures
 *   judge.c     kinds of kernels, suspected causes, sums over groups
 *   chart.c     scatter plots
 *   page.c      the report's files
 *   device.c    the command: tasks, existing results
 *
 * Two errors are reported separately. The machine's: nvcc's machine code on the model, compared
 * with the chip. The code's: machine code that Heddle compiles from nvcc's PTX, compared with
 * nvcc's machine code, both on the model. */
#ifndef STUDY_DEVICE_DEVICE_H
#define STUDY_DEVICE_DEVICE_H
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include "base/arena.h"
#include "base/vec.h"

struct device {
	struct arena arena;
	const char *name, *dir; /* folder of the device */
	const char *title, *machine, *energy_machine;
	double peak_dram_bytes, peak_l2_bytes; /* per SM cycle, of the whole GPU */
	double sms, sub_cores;
	double constant_line; /* bytes of a line of the machine's constant cache */
};
/* True if the study is a device: its folder has device.ini. */
bool device_is(const char *study);
/* Options of heddle reproduce that apply to devices. */
struct device_job {
	const char *study, *size, *out, *programs, *table;
	unsigned jobs;
	bool quiet, report;
};
/* Returns the command's exit status. */
int device_reproduce(const struct device_job *j);

/* ---- micro.c ---- */

/* Returns the name of table i, in the report's order; NULL: no more tables. */
const char *micro_name(unsigned i);
/* Simulates the rows of a table and writes a line for each: table, row, quantity, unit, measured
 * value, simulated value, and the reason if that is missing. False: the table or the machine cannot
 * be read; reported. */
bool micro_measure(const struct device *d, const char *table, const char *size, FILE *out);

/* ---- programs.c ---- */

struct figures { /* figures of one launch; NAN: unknown */
	double cycles, instructions, sectors, dram_bytes;
};
struct launch_row {
	const char *program, *kernel;
	unsigned number;        /* position among the kernel's launches, from 1 */
	struct figures chip;    /* measured on the chip, with warm caches */
	struct figures machine; /* simulated: the vendor's machine code */
	struct figures code;    /* simulated: machine code compiled by Heddle */
	/* registers per thread: of the vendor's code; of Heddle's code */
	double registers, own_registers;
	double shared_wavefronts, fp64, xu;
	bool texture;
	const char *kind, *cause; /* judge.c */
};
struct launches {
	VEC(struct launch_row) v;
};
/* Reads the chip's figures of all launches at a size. False: reported. */
bool programs_read(const struct device *d, const char *size, struct launches *l, struct arena *a);
/* Adds the statistics of a program's run to the launches; own: the run used code that Heddle
 * compiled. Returns NULL, or the error. */
const char *programs_add(const struct device *d, struct launches *l, const char *program, bool own,
			 const char *stats, struct arena *a);
/* Returns the suite's name of a program: NN_warpman is NN.warpman. */
const char *programs_workload(struct arena *a, const char *program);

/* ---- judge.c ---- */

void judge_launches(const struct device *d, struct launches *l);
struct error_sum {
	const char *name;
	unsigned n, within;           /* number of pairs; number of pairs within 25 % */
	double mean, log_correlation; /* mean of |simulated / measured - 1| */
};
/* A pair of values whose error is computed; NAN: left out. */
struct error_pair {
	const char *group;
	double measured, simulated;
};
/* Computes sums by group, ordered by their first pairs; the last sum, "all", covers all pairs.
 * Returns the number of sums. */
unsigned judge_sums(const struct error_pair *p, unsigned n, struct error_sum *out, unsigned room);

/* ---- chart.c ---- */

/* Draws simulated against measured on logarithmic axes into DIR/figures/NAME.svg and .gp. Returns
 * the SVG's text, malloc'ed; NULL: *why has the reason. */
char *chart_scatter(struct arena *a, const char *dir, const char *name, const char *title,
		    const char *unit, const struct error_pair *p, unsigned n, const char **why);

/* ---- page.c ---- */

struct micro_row {
	const char *table, *row, *what, *unit, *note;
	double measured, simulated;
};
struct device_report {
	struct device *d;
	const char *size, *dir;
	/* rows of microbenchmarks, and of energies (table "energy") */
	VEC(struct micro_row) rows;
	struct launches launches;
	VEC(const char *) notes; /* runs without result, each with the reason */
};
/* Writes rows.csv, launches.csv, report.json, index.html and the figures. False: an error,
 * reported. */
bool device_report_write(struct device_report *r);

#endif
