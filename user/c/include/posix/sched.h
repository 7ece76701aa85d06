/* Policies and priorities of POSIX threads (the book's page "C programs" says what differs).
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TAKTOS_POSIX_SCHED_H_
#define TAKTOS_POSIX_SCHED_H_

#include <time.h>

#if __has_include(<_newlib_version.h>)
#include <sys/sched.h>
#include <sys/types.h>
#else
#define _SCHED_H 1
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
struct sched_param {
    int sched_priority;
};
#endif

/* There are no sporadic servers: the calls give ENOTSUP. */
#ifndef SCHED_SPORADIC
#define SCHED_SPORADIC 4
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Priorities are 1 to 56 for all policies; the most urgent is 56. A process is the calling thread: 0. */
int sched_get_priority_max(int policy);
int sched_get_priority_min(int policy);
int sched_setscheduler(pid_t process, int policy, const struct sched_param *parameters);
int sched_setparam(pid_t process, const struct sched_param *parameters);
int sched_getscheduler(pid_t process);
int sched_getparam(pid_t process, struct sched_param *parameters);
int sched_rr_get_interval(pid_t process, struct timespec *interval);
int sched_yield(void);

#ifdef __cplusplus
}
#endif

#endif
