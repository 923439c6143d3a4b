/* Shared by the API tests: a failed check says where and makes the program fail. */
#ifndef CHECK_H
#define CHECK_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failed;
#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #x);                             \
			check_failed = 1;                                                          \
		}                                                                                  \
	} while (0)
#define IS(a, b)                                                                                   \
	do {                                                                                       \
		double a_ = (double)(a), b_ = (double)(b);                                         \
		if (a_ != b_) {                                                                    \
			printf("%s:%d: %s is %.9g, not %.9g\n", __FILE__, __LINE__, #a, a_, b_);   \
			check_failed = 1;                                                          \
		}                                                                                  \
	} while (0)
#define OK(call) IS(call, 0)
#define DONE()                                                                                     \
	do {                                                                                       \
		printf(check_failed ? "failed\n" : "passed\n");                                    \
		return check_failed;                                                               \
	} while (0)

#endif
