/* heddle list: prints the kernels of a program, their parameters and the resources they need. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/commands.h"
#include "heddle.h"

enum { O_JSON };
static const struct cli_option opts[] = {
	[O_JSON] = {"--json", NULL, "print JSON"},
	{NULL},
};
static const struct cli_page page_list = {
	.usage = "list FILE.ptx [--json]",
	.text = "Prints the kernels of a program: parameters with their types and offsets, registers "
		"per thread (an estimate of Heddle's), shared memory per block, local memory per "
		"thread.",
	.opts = opts,
};

static void print_kernel(const struct heddle_kernel *k)
{
	struct heddle_kernel_info i;
	heddle_kernel_info(k, &i);
	printf("%s\n", i.name);
	for (unsigned n = 0; n < i.nparam; n++) {
		struct heddle_param_info p;
		heddle_param_info(k, n, &p);
		char type[64];
		snprintf(type, sizeof type, p.count > 1 ? ".%s[%u]" : ".%s", p.type, p.count);
		printf("  %4u  %-10s %s\n", p.offset, type, p.name);
	}
	printf("  %u instructions, %u registers, %u bytes shared, %u bytes local, %u bytes of "
	       "parameters\n",
	       i.instructions, i.registers, i.shared_bytes, i.local_bytes, i.param_bytes);
	if (i.reqntid[0])
		printf("  needs blocks of %u x %u x %u threads\n", i.reqntid[0], i.reqntid[1],
		       i.reqntid[2]);
	else if (i.maxntid[0])
		printf("  blocks of at most %u x %u x %u threads\n", i.maxntid[0], i.maxntid[1],
		       i.maxntid[2]);
}

static json_t *dim(const unsigned d[3])
{
	return d[0] ? json_pack("[i,i,i]", d[0], d[1], d[2]) : json_null();
}

static json_t *kernel_json(const struct heddle_kernel *k)
{
	struct heddle_kernel_info i;
	heddle_kernel_info(k, &i);
	json_t *params = json_array();
	for (unsigned n = 0; n < i.nparam; n++) {
		struct heddle_param_info p;
		heddle_param_info(k, n, &p);
		json_array_append_new(params,
				      json_pack("{ss,ss,si,si,si,si}", "name", p.name, "type",
						p.type, "offset", p.offset, "size", p.size, "align",
						p.align, "count", p.count));
	}
	return json_pack("{ss,so,si,si,si,si,si,si,si,so,so,si,si}", "name", i.name, "params",
			 params, "param_bytes", i.param_bytes, "instructions", i.instructions,
			 "registers", i.registers, "shared_bytes", i.shared_bytes, "local_bytes",
			 i.local_bytes, "const_bytes", i.const_bytes, "max_threads", i.max_threads,
			 "reqntid", dim(i.reqntid), "maxntid", dim(i.maxntid), "ptx_version",
			 i.ptx_version, "target", i.target);
}

static void print_module(struct heddle_module *m, bool json)
{
	unsigned n = heddle_kernel_count(m);
	json_t *all = json ? json_array() : NULL;
	for (unsigned i = 0; i < n; i++) {
		if (json)
			json_array_append_new(all, kernel_json(heddle_kernel_at(m, i)));
		else
			print_kernel(heddle_kernel_at(m, i));
	}
	if (json) {
		json_dumpf(all, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(all);
	} else if (!n) {
		printf("no kernels\n");
	}
}

static int cmd_list(int argc, char **argv)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_list, argc, argv);
	const char *file = NULL;
	bool json = false;
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_BAD)
			return CLI_USAGE;
		if (o == CLI_HELP)
			return cli_help(&command_list);
		if (o == O_JSON)
			json = true;
		else if (file) {
			cli_error("list", "%s: one file at a time", w.arg[0]);
			return CLI_USAGE;
		} else
			file = w.arg[0];
	}
	if (!file) {
		cli_error("list", "a PTX file is missing");
		return CLI_USAGE;
	}
	size_t size;
	char *data = cli_read("list", file, &size);
	if (!data)
		return CLI_FAILED;
	struct heddle_text text = {file, data, size};
	struct heddle *h = NULL;
	struct heddle_module *m;
	int rc = CLI_FAILED;
	if (heddle_open(&h, &(struct heddle_options){0})) {
		cli_error("list", "%s", h ? heddle_message(h) : "out of memory");
	} else if (!cli_has_text(data, size)) {
		cli_error("list", "%s: empty", file);
	} else if (heddle_load(h, &text, 1, &m)) {
		cli_print(stderr, heddle_message(h));
		fputc('\n', stderr);
	} else {
		print_module(m, json);
		rc = CLI_OK;
	}
	if (h)
		heddle_close(h);
	free(data);
	return rc;
}

const struct cli_command command_list = {
	"list",
	cmd_list,
	"show the kernels of a PTX file",
	&page_list,
};
