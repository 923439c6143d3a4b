/* Arithmetic of 16-bit numbers by way of float and double, for host code and for chips without such
 * instructions (__HD_NO_OPCODES). Included inside the namespace of each type, which has __to(),
 * __from() and __from_double(). Quotients are always computed this way. */
#ifdef __HD_NO_OPCODES
#define __HD_AR(__n, __op)                                                                         \
	__HD_HD unsigned short __n(unsigned short __a, unsigned short __b)                         \
	{                                                                                          \
		return __from(__to(__a) __op __to(__b));                                           \
	}                                                                                          \
	__HD_HD unsigned int __n##2(unsigned int __a, unsigned int __b)                            \
	{                                                                                          \
		return __n((unsigned short)__a, (unsigned short)__b) |                             \
		       (unsigned int)__n((unsigned short)(__a >> 16), (unsigned short)(__b >> 16)) \
			       << 16;                                                              \
	}
__HD_AR(__add, +)
__HD_AR(__sub, -)
__HD_AR(__mul, *)
__HD_HD unsigned short __fma(unsigned short __a, unsigned short __b, unsigned short __c)
{
	/* the product and most sums are exact in double */
	return __from_double((double)__to(__a) * (double)__to(__b) + (double)__to(__c));
}
__HD_HD unsigned int __fma2(unsigned int __a, unsigned int __b, unsigned int __c)
{
	return __fma((unsigned short)__a, (unsigned short)__b, (unsigned short)__c) |
	       (unsigned int)__fma((unsigned short)(__a >> 16), (unsigned short)(__b >> 16),
				   (unsigned short)(__c >> 16))
		       << 16;
}
#undef __HD_AR
#undef __HD_NO_OPCODES
#endif
__HD_HD unsigned short __div(unsigned short __a, unsigned short __b)
{
	return __from(__to(__a) / __to(__b));
}
