/* Sleep and the alarm of POSIX, beside what the C library has in its <unistd.h>; and what of the standard is there.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TAKTOS_POSIX_UNISTD_H_
#define TAKTOS_POSIX_UNISTD_H_

#if __has_include(<_newlib_version.h>)
#include_next <unistd.h>
#else
#define _UNISTD_H 1
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
#undef _POSIX_TIMERS
#define _POSIX_TIMERS 200809L
#undef _POSIX_REALTIME_SIGNALS
#define _POSIX_REALTIME_SIGNALS 200809L
#undef _POSIX_CLOCK_SELECTION
#define _POSIX_CLOCK_SELECTION 200809L

#ifdef __cplusplus
extern "C" {
#endif

unsigned int sleep(unsigned int seconds);
int usleep(useconds_t microseconds);
unsigned int alarm(unsigned int seconds);
int pause(void);
pid_t getpid(void);

#ifdef __cplusplus
}
#endif

#endif
