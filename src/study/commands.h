/* The subcommands of src/study/, one row per file: reproduce, sweep, results, explore, calibrate. */
#ifndef STUDY_COMMANDS_H
#define STUDY_COMMANDS_H
#include "command/command.h"

extern const struct cli_command command_reproduce, command_sweep, command_results, command_explore,
	command_calibrate;

#endif
