/* Clocks, sleep and timers of POSIX, beside what the C library has in its <time.h>.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TAKTOS_POSIX_TIME_H_
#define TAKTOS_POSIX_TIME_H_

struct sigevent;

#if __has_include(<_newlib_version.h>)
#include_next <time.h>
#include <sys/types.h>
#ifndef CLOCK_REALTIME
#define CLOCK_REALTIME 1
#endif
#ifndef CLOCK_MONOTONIC
#define CLOCK_MONOTONIC 4
#endif
#ifndef CLOCK_THREAD_CPUTIME_ID
#define CLOCK_THREAD_CPUTIME_ID 3
#endif
#ifndef TIMER_ABSTIME
#define TIMER_ABSTIME 4
#endif
#else
/* There is no C library: the numbers are newlib's. */
#define _TIME_H 1
#include <stddef.h>
#include <sys/types.h>
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
struct itimerspec {
    struct timespec it_interval;
    struct timespec it_value;
};
#define CLOCK_REALTIME 1
#define CLOCK_MONOTONIC 4
#define CLOCK_THREAD_CPUTIME_ID 3
#define TIMER_ABSTIME 4
#endif

#ifdef __cplusplus
extern "C" {
#endif

int clock_gettime(clockid_t clock, struct timespec *time);
int clock_settime(clockid_t clock, const struct timespec *time);
int clock_getres(clockid_t clock, struct timespec *resolution);
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left);
int nanosleep(const struct timespec *time, struct timespec *left);

int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer);
int timer_delete(timer_t timer);
int timer_settime(timer_t timer, int flags, const struct itimerspec *value, struct itimerspec *old);
int timer_gettime(timer_t timer, struct itimerspec *value);
int timer_getoverrun(timer_t timer);

#ifdef __cplusplus
}
#endif

#endif
