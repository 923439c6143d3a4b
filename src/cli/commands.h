/* The subcommands of src/cli/, one row per file, and the table of all subcommands. A new subcommand is
 * a file that exports its row, a name here and a line in main.c. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H
#include "command/command.h"

extern const struct cli_command command_run, command_annotate, command_list, command_golden,
	command_ptx, command_disasm, command_ptxas, command_asm, command_compare, command_cuda_home,
	command_workloads, command_workload, command_explain, command_config, command_power,
	command_help;

/* main.c: all subcommands in the order in which help lists them; ends with NULL. */
extern const struct cli_command *const cli_commands[];

/* help.c. NULL: unknown, reported. */
const struct cli_command *cli_find_command(const char *name);
void cli_print_overview(FILE *f);

/* complete.c. False: unknown shell, reported. */
bool cli_print_completion(const char *shell, FILE *f);

/* cuda_home.c: the program __nvcc_device_query, which says what -arch=native is. */
int cuda_home_device_query(void);

#endif
