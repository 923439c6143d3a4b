#include "recorded_runs.h"

int main(int argc, char **argv)
{
	return recorded_main(argc, argv, "tests/data/recorded/memory.txt", recorded_run);
}
