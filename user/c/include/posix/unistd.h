/* Sleep and the alarm of POSIX, beside what the C library has in its <unistd.h>; and what of the standard is there.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TAKTOS_POSIX_UNISTD_H_
#define TAKTOS_POSIX_UNISTD_H_

#if __has_include(<_newlib_version.h>)
#include_next <unistd.h>
#else
#define _UNISTD_H 1
#define _SC_CLK_TCK 2
#define _SC_VERSION 7
#define _SC_PAGESIZE 8
#define _SC_PAGE_SIZE _SC_PAGESIZE
#define _SC_NPROCESSORS_CONF 9
#define _SC_NPROCESSORS_ONLN 10
#define _SC_SEM_VALUE_MAX 17
#define _SC_SEMAPHORES 30
#define _SC_THREAD_KEYS_MAX 38
#define _SC_THREAD_STACK_MIN 39
#define _SC_THREAD_THREADS_MAX 40
#define _SC_THREADS 42
#define _SC_THREAD_ATTR_STACKADDR 43
#define _SC_THREAD_ATTR_STACKSIZE 44
#define _SC_THREAD_PRIORITY_SCHEDULING 45
#define _SC_THREAD_PRIO_INHERIT 46
#define _SC_THREAD_PRIO_PROTECT 47
#define _SC_THREAD_PROCESS_SHARED 48
#define _SC_THREAD_SAFE_FUNCTIONS 49
#define _SC_THREAD_DESTRUCTOR_ITERATIONS 53
#define _SC_BARRIERS 56
#define _SC_CLOCK_SELECTION 61
#define _SC_CPUTIME 63
#define _SC_MONOTONIC_CLOCK 69
#define _SC_READER_WRITER_LOCKS 71
#define _SC_SPIN_LOCKS 76
#define _SC_THREAD_CPUTIME 80
#define _SC_TIMEOUTS 82
#endif
#include <sys/types.h>

#undef _POSIX_THREADS
#define _POSIX_THREADS 200809L
#undef _POSIX_THREAD_ATTR_STACKADDR
#define _POSIX_THREAD_ATTR_STACKADDR 200809L
#undef _POSIX_THREAD_ATTR_STACKSIZE
#define _POSIX_THREAD_ATTR_STACKSIZE 200809L
#undef _POSIX_THREAD_PRIORITY_SCHEDULING
#define _POSIX_THREAD_PRIORITY_SCHEDULING 200809L
#undef _POSIX_THREAD_PRIO_INHERIT
#define _POSIX_THREAD_PRIO_INHERIT 200809L
#undef _POSIX_THREAD_PRIO_PROTECT
#define _POSIX_THREAD_PRIO_PROTECT 200809L
#undef _POSIX_SEMAPHORES
#define _POSIX_SEMAPHORES 200809L
#undef _POSIX_TIMEOUTS
#define _POSIX_TIMEOUTS 200809L
#undef _POSIX_MONOTONIC_CLOCK
#define _POSIX_MONOTONIC_CLOCK 200809L
#undef _POSIX_MESSAGE_PASSING
#define _POSIX_MESSAGE_PASSING 200809L
#undef _POSIX_TIMERS
#define _POSIX_TIMERS 200809L
#undef _POSIX_REALTIME_SIGNALS
#define _POSIX_REALTIME_SIGNALS 200809L
#undef _POSIX_CLOCK_SELECTION
#define _POSIX_CLOCK_SELECTION 200809L

#ifdef __cplusplus
extern "C" {
#endif

long sysconf(int name);
unsigned int sleep(unsigned int seconds);
int usleep(useconds_t microseconds);
unsigned int alarm(unsigned int seconds);
int pause(void);
pid_t getpid(void);

#ifdef __cplusplus
}
#endif

#endif
