/* cudaCreateChannelDesc<T>(): the channel format of every scalar and vector type. */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#if defined(__cplusplus)
#include "cuda_runtime_api.h"

static inline cudaChannelFormatDesc __hd_channel(int __bits, int __n, cudaChannelFormatKind __k)
{
	return cudaCreateChannelDesc(__bits, __n > 1 ? __bits : 0, __n > 2 ? __bits : 0,
		__n > 3 ? __bits : 0, __k);
}

template <class __T> inline cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
	return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define __HD_CHAN1(__t, __b, __n, __k) \
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<__t>(void) \
{ return __hd_channel(__b, __n, cudaChannelFormatKind##__k); }
#define __HD_CHAN(__v, __t, __b, __k) __HD_CHAN1(__t, __b, 1, __k) __HD_CHAN1(__v##1, __b, 1, __k) \
	__HD_CHAN1(__v##2, __b, 2, __k) __HD_CHAN1(__v##4, __b, 4, __k)

__HD_CHAN(char, signed char, 8, Signed)
__HD_CHAN(uchar, unsigned char, 8, Unsigned)
__HD_CHAN(short, short, 16, Signed)
__HD_CHAN(ushort, unsigned short, 16, Unsigned)
__HD_CHAN(int, int, 32, Signed)
__HD_CHAN(uint, unsigned int, 32, Unsigned)
__HD_CHAN(float, float, 32, Float)
#if defined(__CHAR_UNSIGNED__)
__HD_CHAN1(char, 8, 1, Unsigned)
#else
__HD_CHAN1(char, 8, 1, Signed)
#endif
#undef __HD_CHAN
#undef __HD_CHAN1

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf(void)
{
	return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf1(void)
{
	return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2(void)
{
	return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4(void)
{
	return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}
#endif

#endif
