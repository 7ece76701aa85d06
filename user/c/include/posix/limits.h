/* The limits of the compiler and the C library, and those of POSIX threads and what belongs to them.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#if !__has_include(<_newlib_version.h>) && !defined(_LIBC_LIMITS_H_)
/* So that the compiler's own file does not look for a C library's. */
#define _LIBC_LIMITS_H_ 1
#endif
#include_next <limits.h>
#ifndef TAKTOS_POSIX_LIMITS_H_
#define TAKTOS_POSIX_LIMITS_H_
#ifndef NAME_MAX
#define NAME_MAX 255
#endif
#ifndef PATH_MAX
#define PATH_MAX 1024
#endif
#undef SSIZE_MAX
#if __SIZEOF_POINTER__ == 4
#define SSIZE_MAX __INT_MAX__
#else
#define SSIZE_MAX __LONG_MAX__
#endif
#undef OPEN_MAX
#define OPEN_MAX 64
#undef PTHREAD_DESTRUCTOR_ITERATIONS
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#undef PTHREAD_KEYS_MAX
#define PTHREAD_KEYS_MAX 128
#undef PTHREAD_STACK_MIN
#if __SIZEOF_POINTER__ == 4
#define PTHREAD_STACK_MIN 1024
#else
#define PTHREAD_STACK_MIN 4096
#endif
#undef SEM_VALUE_MAX
#define SEM_VALUE_MAX 2147483647
#undef MQ_PRIO_MAX
#define MQ_PRIO_MAX 256
#undef RTSIG_MAX
#define RTSIG_MAX 16
#undef DELAYTIMER_MAX
#define DELAYTIMER_MAX 2147483647

/* The least that the standard has each system offer. */
#ifndef _POSIX_OPEN_MAX
#define _POSIX_OPEN_MAX 20
#endif
#ifndef _POSIX_NAME_MAX
#define _POSIX_NAME_MAX 14
#endif
#ifndef _POSIX_PATH_MAX
#define _POSIX_PATH_MAX 256
#endif
#ifndef _POSIX_CLOCKRES_MIN
#define _POSIX_CLOCKRES_MIN 20000000
#endif
#ifndef _POSIX_DELAYTIMER_MAX
#define _POSIX_DELAYTIMER_MAX 32
#endif
#ifndef _POSIX_MQ_OPEN_MAX
#define _POSIX_MQ_OPEN_MAX 8
#endif
#ifndef _POSIX_MQ_PRIO_MAX
#define _POSIX_MQ_PRIO_MAX 32
#endif
#ifndef _POSIX_RTSIG_MAX
#define _POSIX_RTSIG_MAX 8
#endif
#ifndef _POSIX_SEM_NSEMS_MAX
#define _POSIX_SEM_NSEMS_MAX 256
#endif
#ifndef _POSIX_SEM_VALUE_MAX
#define _POSIX_SEM_VALUE_MAX 32767
#endif
#ifndef _POSIX_SIGQUEUE_MAX
#define _POSIX_SIGQUEUE_MAX 32
#endif
#ifndef _POSIX_THREAD_DESTRUCTOR_ITERATIONS
#define _POSIX_THREAD_DESTRUCTOR_ITERATIONS 4
#endif
#ifndef _POSIX_THREAD_KEYS_MAX
#define _POSIX_THREAD_KEYS_MAX 128
#endif
#ifndef _POSIX_THREAD_THREADS_MAX
#define _POSIX_THREAD_THREADS_MAX 64
#endif
#ifndef _POSIX_TIMER_MAX
#define _POSIX_TIMER_MAX 32
#endif
#endif
