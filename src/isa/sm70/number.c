#include "isa/sm70/number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A finite number with up to 20 digits; numbers from 10^9 on have all 20 digits after the
 * point. */
static const char *finite_text(double v, char buf[48])
{
	if (v == 0)
		return strcpy(buf, signbit(v) ? "-0.0" : "0");
	snprintf(buf, 48, fabs(v) >= 1e9 ? "%.20e" : "%.20g", v);
	return buf;
}

/* INF, QNAN or SNAN, with a sign and a blank after it. */
static const char *special_text(int negative, int nan, int quiet, char buf[48])
{
	snprintf(buf, 48, "%c%s ", negative ? '-' : '+', !nan ? "INF" : quiet ? "QNAN" : "SNAN");
	return buf;
}

const char *sm70_float_text(uint32_t bits, char buf[48])
{
	float v;
	memcpy(&v, &bits, sizeof v);
	if ((bits >> 23 & 0xff) == 0xff)
		return special_text(bits >> 31, bits << 9 != 0, 1, buf);
	return finite_text(v, buf);
}

const char *sm70_double_text(uint64_t bits, char buf[48])
{
	double v;
	memcpy(&v, &bits, sizeof v);
	if ((bits >> 52 & 0x7ff) == 0x7ff)
		return special_text((int)(bits >> 63), bits << 12 != 0, (int)(bits >> 51 & 1), buf);
	return finite_text(v, buf);
}

const char *sm70_half_text(uint32_t bits, char buf[48])
{
	unsigned e = bits >> 10 & 31, m = bits & 1023;
	if (e == 31)
		return special_text(bits >> 15 & 1, m != 0, 1, buf);
	double v = e ? ldexp(1024 + m, (int)e - 25) : ldexp(m, -24);
	return finite_text(bits >> 15 & 1 ? -v : v, buf);
}

const char *sm70_bf16_text(uint32_t bits, char buf[48])
{
	return sm70_float_text((bits & 0xffff) << 16, buf);
}
