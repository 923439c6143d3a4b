/* Tables of measurements: tab separated, one header line, packed by gzip or not. */
#ifndef STUDY_DEVICE_TSV_H
#define STUDY_DEVICE_TSV_H
#include <stdbool.h>

struct tsv {
	char *data;             /* the file, with the cells' ends as NULs */
	char **cell;            /* [row * columns + column]; row 0 has the columns' names */
	unsigned rows, columns; /* rows: number of rows below the names */
};
/* Reads DIR/NAME.tsv.gz or DIR/NAME.tsv. False: an error, already reported. Missing cells are empty. */
bool tsv_open(struct tsv *t, const char *cmd, const char *dir, const char *name);
void tsv_close(struct tsv *t);

int tsv_column(const struct tsv *t, const char *name); /* -1: there is none */
/* A cell of rows 1 to `rows`; "" and NAN: no such column, not a number. */
const char *tsv_text(const struct tsv *t, unsigned row, const char *name);
double tsv_number(const struct tsv *t, unsigned row, const char *name);
/* The first row whose column equals `text`; 0: none. */
unsigned tsv_find(const struct tsv *t, const char *column, const char *text);

#endif
