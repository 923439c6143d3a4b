#include "isa/sm70/table.h"
void sm70_table_print(FILE *f) { fprintf(f, "%u\n", sm70_table()->nform); }
