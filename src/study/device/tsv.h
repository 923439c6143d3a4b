/* Tables of measurements: tab separated, one header line, plain or compressed by gzip. */
#ifndef STUDY_DEVICE_TSV_H
#define STUDY_DEVICE_TSV_H
#include <stdbool.h>

struct tsv {
	char *data;             /* contents of the file, with a NUL at the end of each cell */
	char **cell;            /* [row * columns + column]; row 0 has the columns' names */
	unsigned rows, columns; /* rows: number of rows below the names */
};
/* Reads DIR/NAME.tsv.gz or DIR/NAME.tsv. False: an error, already reported. Missing cells are empty. */
bool tsv_open(struct tsv *t, const char *cmd, const char *dir, const char *name);
void tsv_close(struct tsv *t);

/* Returns the index of a column; -1: the table has no such column. */
int tsv_column(const struct tsv *t, const char *name);
/* Returns a cell of rows 1 to `rows`. "" and NAN: the column does not exist, or the cell is not a
 * number. */
const char *tsv_text(const struct tsv *t, unsigned row, const char *name);
double tsv_number(const struct tsv *t, unsigned row, const char *name);
/* Returns the first row whose cell in the column equals `text`; 0: none. */
unsigned tsv_find(const struct tsv *t, const char *column, const char *text);

#endif
