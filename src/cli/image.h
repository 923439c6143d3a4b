/* Textures and surfaces of a module, given on the command line as files of texels. */
#ifndef CLI_IMAGE_H
#define CLI_IMAGE_H
#include "cli/cli.h"
#include "heddle.h"

struct image {
	char *name, *file; /* the reference, its texels */
	const char *spec;  /* NAME=FILE,SIZE,FORMAT[,WORD...] as given */
	const char *out;   /* surfaces: where the texels go afterwards; NULL: nowhere */
	struct heddle_tex t;
	size_t bytes;
	struct cli_output save;
};
struct images {
	struct image *v;
	unsigned n;
};

/* What `option` gave is remembered; false: it was reported. */
bool images_add(struct images *l, const char *option, const char *spec, const char *out);
/* Texels to device memory, references bound to them. */
bool images_bind(struct images *l, struct heddle *h, struct heddle_module *m);
/* Surfaces back into temporary files beside the final ones; those become the files. */
bool images_save(struct images *l, struct heddle *h);
bool images_commit(struct images *l);
void images_free(struct images *l);

#endif
