#include "recorded_runs.h"

int main(int argc, char **argv)
{
	return recorded_main(argc, argv, "tests/data/recorded/kinds.txt", recorded_run);
}
