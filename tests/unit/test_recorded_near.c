#include "recorded_runs.h"

int main(int argc, char **argv)
{
	return recorded_main(argc, argv, "tests/data/recorded/near.txt", recorded_run);
}
