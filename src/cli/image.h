/* Textures and surfaces of a module, given on the command line as files of texels. */
#ifndef CLI_IMAGE_H
#define CLI_IMAGE_H
#include "command/command.h"
#include "heddle.h"

struct image {
	char *name, *file; /* name of the reference; file with the texels */
	const char *spec;  /* NAME=FILE,SIZE,FORMAT[,WORD...] as given */
	const char *out;   /* surfaces: file for the texels after the launch; NULL: none */
	struct heddle_tex t;
	size_t bytes;
	struct cli_output save;
};
struct images {
	struct image *v;
	unsigned n;
};

/* Records the argument of `option`; false: an error, reported. */
bool images_add(struct images *l, const char *option, const char *spec, const char *out);
/* Copies texels to device memory and binds the references to them. */
bool images_bind(struct images *l, struct heddle *h, struct heddle_module *m);
/* Writes surfaces into temporary files beside the final ones, then renames them. */
bool images_save(struct images *l, struct heddle *h);
bool images_commit(struct images *l);
void images_free(struct images *l);

#endif
