/* The limits of the compiler and the C library, and those of POSIX threads and what belongs to them.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#include_next <limits.h>
#ifndef TAKTOS_POSIX_LIMITS_H_
#define TAKTOS_POSIX_LIMITS_H_
#ifndef NAME_MAX
#define NAME_MAX 255
#endif
#ifndef PATH_MAX
#define PATH_MAX 256
#endif
#undef PTHREAD_DESTRUCTOR_ITERATIONS
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#undef PTHREAD_KEYS_MAX
#define PTHREAD_KEYS_MAX 128
#undef PTHREAD_STACK_MIN
#define PTHREAD_STACK_MIN 1024
#undef SEM_VALUE_MAX
#define SEM_VALUE_MAX 2147483647
#undef MQ_PRIO_MAX
#define MQ_PRIO_MAX 256
#undef RTSIG_MAX
#define RTSIG_MAX 16
#undef DELAYTIMER_MAX
#define DELAYTIMER_MAX 2147483647
#endif
