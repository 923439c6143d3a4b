/* The names of optimisations that can be left out, as in the lists of --without and --code. */
#include <string.h>
#include "back/back.h"

/* clang-format off */
#define KINDS(X) X(iscadd) X(imad) X(vmnmx) X(vadd) X(psetp) X(bra.u) X(predicate) X(fold) X(vector) \
	X(coalesce) X(common) X(rename) X(tail) X(address) X(divide) X(ldu) X(room) X(order) X(unroll)
/* clang-format on */

const char *back_kind_names(void)
{
#define NAMED(name) " " #name
	return "expected ptx, tesla or fermi, each followed by optimisations to omit, after dashes:" KINDS(
		NAMED);
#undef NAMED
}

bool back_kinds(const char *list, unsigned *kinds)
{
#define NAME(name) #name,
	static const char *const name[] = {KINDS(NAME)};
#undef NAME
	*kinds = 0;
	while (*list) {
		size_t n = strcspn(list, "-"), i = 0, all = sizeof name / sizeof *name;
		while (i < all && (strlen(name[i]) != n || strncmp(name[i], list, n)))
			i++;
		if (i == all)
			return false;
		*kinds |= 1u << i;
		list += n + (list[n] == '-');
	}
	return true;
}

bool back_without(const char *list, unsigned *kinds, struct diag *d)
{
	bool ok = back_kinds(list ? list : "", kinds);
	if (!ok)
		diag_error(d, "code without %s: %s", list, back_kind_names());
	return ok;
}
