/* Textures and surfaces. */
#include "lift/sm70/lift.h"

bool lift_texture(struct lift *l)
{
	(void)l;
	return false;
}
