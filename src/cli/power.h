/* The parts of heddle power; each returns the command's status. */
#ifndef CLI_POWER_H
#define CLI_POWER_H

/* Runs kernels of the workload suite for heddle_power_validate(). */
extern const struct heddle_power_runner power_runner;

int power_compare(const char *a, const char *b);         /* files of --stats */
int power_picture(const char *samples, const char *out); /* a file of --sample, as SVG */

#endif
