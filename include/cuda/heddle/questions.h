/* Queries of device code to the runtime (__heddle_ask): their numbers and arguments. */
#ifndef HEDDLE_QUESTIONS_H
#define HEDDLE_QUESTIONS_H
enum __hd_question {
	__HD_ASK_ATTRIBUTE, /* device attribute; x: enum cudaDeviceAttr */
	__HD_ASK_BLOCKS,    /* resident blocks of a kernel per SM; x: threads per block, y: bytes of dynamic shared memory */
	/* members of struct cudaFuncAttributes */
	__HD_ASK_SHARED,
	__HD_ASK_CONST,
	__HD_ASK_LOCAL,
	__HD_ASK_THREADS,
	__HD_ASK_REGISTERS,
	__HD_ASK_PTX,
	__HD_ASK_BINARY,
	__HD_ASK_DYNAMIC
};
#endif
