#include "estimate/student.h"

double student_95(double freedom)
{
	/* 97.5 % quantiles for 1 to 10 degrees of freedom */
	static const double few[] = {12.706, 4.303, 3.182, 2.776, 2.571,
				     2.447,  2.365, 2.306, 2.262, 2.228};
	enum { FEW = sizeof few / sizeof *few };
	if (freedom <= 1)
		return few[0];
	if (freedom < FEW) {
		int i = (int)freedom - 1;
		return few[i] + (freedom - 1 - i) * (few[i + 1] - few[i]);
	}
	/* expansion of the quantile in powers of 1 / freedom around the normal one (Fisher, Cornish) */
	double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z;
	return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}
