/* The subcommands in src/cli/, one row per file, and the table of all subcommands. A new subcommand
 * needs a file that exports its row, a name here and a line in main.c. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H
#include "command/command.h"

extern const struct cli_command command_run, command_annotate, command_list, command_golden,
	command_ptx, command_disasm, command_ptxas, command_asm, command_compare, command_cuda_home,
	command_workloads, command_workload, command_explain, command_config, command_power,
	command_help, command_profile, command_grade;

/* All subcommands in the order in which help lists them, ended by NULL (main.c). */
extern const struct cli_command *const cli_commands[];

/* Finds a subcommand by name (help.c). NULL: unknown, reported. */
const struct cli_command *cli_find_command(const char *name);
void cli_print_overview(FILE *f);

/* Prints the completion script of a shell (complete.c). False: unknown shell, reported. */
bool cli_print_completion(const char *shell, FILE *f);

/* The program __nvcc_device_query, which prints the architecture for -arch=native (cuda_home.c). */
int cuda_home_device_query(void);

#endif
