/* Sleep, the alarm and files of POSIX, beside what the C library has in its <unistd.h>; and what of the standard is there.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TAKTOS_POSIX_UNISTD_H_
#define TAKTOS_POSIX_UNISTD_H_

#if __has_include(<_newlib_version.h>)
#include_next <unistd.h>
#else
#define _UNISTD_H 1
#define _SC_CLK_TCK 2
#define _SC_OPEN_MAX 4
#define _SC_VERSION 7
#define _SC_PAGESIZE 8
#define _SC_PAGE_SIZE _SC_PAGESIZE
#define _SC_NPROCESSORS_CONF 9
#define _SC_NPROCESSORS_ONLN 10
#define _SC_MQ_OPEN_MAX 13
#define _SC_MQ_PRIO_MAX 14
#define _SC_RTSIG_MAX 15
#define _SC_SEM_NSEMS_MAX 16
#define _SC_SEM_VALUE_MAX 17
#define _SC_SIGQUEUE_MAX 18
#define _SC_TIMER_MAX 19
#define _SC_ASYNCHRONOUS_IO 21
#define _SC_FSYNC 22
#define _SC_MAPPED_FILES 23
#define _SC_MEMLOCK 24
#define _SC_MEMLOCK_RANGE 25
#define _SC_MEMORY_PROTECTION 26
#define _SC_MESSAGE_PASSING 27
#define _SC_PRIORITIZED_IO 28
#define _SC_REALTIME_SIGNALS 29
#define _SC_SEMAPHORES 30
#define _SC_SHARED_MEMORY_OBJECTS 31
#define _SC_SYNCHRONIZED_IO 32
#define _SC_TIMERS 33
#define _SC_DELAYTIMER_MAX 37
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
#define _SC_SPORADIC_SERVER 77
#define _SC_THREAD_CPUTIME 80
#define _SC_THREAD_SPORADIC_SERVER 81
#define _SC_TIMEOUTS 82
#define _SC_PRIORITY_SCHEDULING 101
#define _SC_THREAD_ROBUST_PRIO_INHERIT 122
#define _SC_THREAD_ROBUST_PRIO_PROTECT 123
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4
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
#undef _POSIX_PRIORITY_SCHEDULING
#define _POSIX_PRIORITY_SCHEDULING 200809L
#undef _POSIX_BARRIERS
#define _POSIX_BARRIERS 200809L
#undef _POSIX_READER_WRITER_LOCKS
#define _POSIX_READER_WRITER_LOCKS 200809L
#undef _POSIX_SPIN_LOCKS
#define _POSIX_SPIN_LOCKS 200809L
#undef _POSIX_THREAD_ROBUST_PRIO_INHERIT
#define _POSIX_THREAD_ROBUST_PRIO_INHERIT 200809L
#undef _POSIX_THREAD_ROBUST_PRIO_PROTECT
#define _POSIX_THREAD_ROBUST_PRIO_PROTECT 200809L
/* What is there where it was installed so (taktos install --processor-time): sysconf says. */
#undef _POSIX_THREAD_CPUTIME
#define _POSIX_THREAD_CPUTIME 0
/* And what is not. */
#undef _POSIX_THREAD_PROCESS_SHARED
#define _POSIX_THREAD_PROCESS_SHARED (-1)
#undef _POSIX_CPUTIME
#define _POSIX_CPUTIME (-1)
#undef _POSIX_SPORADIC_SERVER
#define _POSIX_SPORADIC_SERVER (-1)
#undef _POSIX_THREAD_SPORADIC_SERVER
#define _POSIX_THREAD_SPORADIC_SERVER (-1)

#ifdef __cplusplus
extern "C" {
#endif

long sysconf(int name);
unsigned int sleep(unsigned int seconds);
int usleep(useconds_t microseconds);
unsigned int alarm(unsigned int seconds);
int pause(void);
pid_t getpid(void);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);

int close(int file);
ssize_t read(int file, void *bytes, size_t count);
ssize_t write(int file, const void *bytes, size_t count);
off_t lseek(int file, off_t by, int from);
int ftruncate(int file, off_t size);
int fsync(int file);
int fdatasync(int file);
void sync(void);
int isatty(int file);
int truncate(const char *path, off_t size);
int access(const char *path, int mode);
int unlink(const char *path);
int rmdir(const char *path);

#ifdef __cplusplus
}
#endif

#endif
