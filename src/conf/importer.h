/* The state that importers share: the values read, and the INI entries made of them. Each import_*()
 * function converts one option or file and reports malformed values in d. The entry point is
 * conf/import.h. */
#ifndef CONF_IMPORTER_H
#define CONF_IMPORTER_H
#include <stdint.h>
#include "base/vec.h"
#include "conf/import.h"

struct word {
	char *s;
	unsigned line;
};

struct ini_entry {
	char *section, *key, *value;
};

struct shape { /* values of the imported file that other conversions depend on */
	long clusters, per_cluster, bus, chips;
	long major, minor; /* compute capability */
	long generic;      /* number of collectors that serve all units; 0: none */
	/* model: kind of divergence (none, PDOM, MIMD, DWF); heuristic: issue policy of DWF */
	long model, heuristic;
	/* network: 2: GPGPU-Sim's own crossbar; arbiter: 0: its simple arbiter; otherwise iSLIP */
	long network, arbiter;
	/* separate_writes: 1: a write queue is used; writes: its size, high mark and low mark */
	long separate_writes, writes[3];
};

typedef VEC(struct word) word_vec;

struct import {
	const char *file;
	struct diag *d;
	word_vec words;
	VEC(struct ini_entry) out;
	VEC(char *) ignored; /* options known to have no effect here */
	VEC(char *) unknown;
	unsigned line;
	unsigned depth;
	double clocks[4];
};

/* ---- import_out.c: the INI file that is made ---- */
void ini_put(struct import *im, const char *key,
	     const char *value); /* a later entry of a key replaces an earlier one */
void ini_put_num(struct import *im, const char *key, long v);
void ini_write(struct import *im, FILE *out);
void import_free(struct import *im);

/* ---- import_registers.c: a vendor's register counts ---- */
bool import_has_registers(const char *text);
void import_registers(struct import *im, char *text); /* modifies `text` */

/* ---- import_value.c: values with a structure ---- */
void import_bad(struct import *im, const char *option, const char *value, const char *expected);
void import_cache(struct import *im, const char *opt, const char *text, const char *name);
void import_clocks(struct import *im, const char *opt, const char *text);
void import_pipeline(struct import *im, const char *opt, const char *text);
void import_address_map(struct import *im, const char *opt, const char *text);
void import_network(struct import *im, const char *opt, const char *name);
void import_dram_timing(struct import *im, const char *opt, const char *text);
void import_opcodes(struct import *im, const char *opt, const char *text, const char *key);
void import_widths(struct import *im, const char *opt, const char *text);
void import_scheduler(struct import *im, const char *opt, const char *text);
void import_coalesce(struct import *im, const char *opt, const char *text);
void import_write_queue(struct import *im, const char *opt, const char *text, struct shape *sh);
void import_choice(struct import *im, const char *key, const char *text);

#endif
