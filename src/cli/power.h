/* The parts of heddle power; each returns the command's status. */
#ifndef CLI_POWER_H
#define CLI_POWER_H

/* Runs kernels of the workload suite for heddle_power_validate(). */
extern const struct heddle_power_runner power_runner;

int power_compare(const char *a, const char *b); /* a, b: files of --stats */
/* samples: a file of --sample; draws an SVG */
int power_picture(const char *samples, const char *out);

#endif
