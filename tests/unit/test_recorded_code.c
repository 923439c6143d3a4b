#include "recorded_passes.h"

int main(int argc, char **argv)
{
	return recorded_main(argc, argv, "tests/data/recorded/code.txt", recorded_passes);
}
