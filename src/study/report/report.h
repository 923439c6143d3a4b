/* The report folder: figures in SVG with the gnuplot scripts that made them, tables in CSV,
 * report.json, and index.html, which contains everything in one file. */
#ifndef STUDY_REPORT_REPORT_H
#define STUDY_REPORT_REPORT_H
#include "study/store/store.h"

/* Writes the whole report. False: an error, reported. The page names the figures that gnuplot could
 * not draw. */
bool report_write(struct results *rs);

/* ---- figure.c: returns the SVG of a figure as malloc'ed text. NULL: gnuplot is missing or failed
 * (*why), or the figure has nothing to draw ---- */
char *figure_draw(struct results *rs, const struct study_figure *g, const char **why);

/* Runs gnuplot on a script of a folder; its messages go to the log. 127: gnuplot is missing. */
int figure_run_gnuplot(const char *dir, const char *script, const char *log);

/* ---- table.c: CSV and JSON ---- */
bool table_write(struct results *rs, const struct study_figure *g); /* writes tables/FIGURE.csv */
bool table_write_runs(struct results *rs);                          /* writes tables/runs.csv */
bool table_write_json(struct results *rs);                          /* writes report.json */

/* ---- mechanisms.c: what each mechanism is worth on each base ---- */
bool mechanisms_write(
	struct results *rs); /* writes tables/mechanisms*.csv, figures/mechanisms.svg */
void mechanisms_page(FILE *f, struct results *rs);
json_t *mechanisms_json(struct results *rs);

/* ---- page.c ---- */
bool page_write(struct results *rs, char *const *svg, const char *no_svg);

/* Opens DIR/NAME under a temporary name; report_close() renames the file. NULL and false: an error,
 * reported. */
struct report_file {
	FILE *f;
	char *path, *text;
	size_t size;
};
bool report_open(struct results *rs, struct report_file *o, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool report_close(struct report_file *o);
/* report_csv_text: writes a quoted text. report_csv_number: writes a comma and a number, or only
 * the comma for NAN. */
void report_csv_text(FILE *f, const char *s);
void report_csv_number(FILE *f, double x);
/* Returns how many runs of selected programs failed; *all: the number of such runs. */
unsigned report_failures(const struct results *rs, unsigned *all);

#endif
