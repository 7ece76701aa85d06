/* The types of POSIX threads. By this name newlib's <sys/types.h> takes these instead of its own.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TAKTOS_POSIX_TYPES_H_
#define TAKTOS_POSIX_TYPES_H_
/* So that newlib's own file is empty, should it be found. */
#define _SYS__PTHREADTYPES_H_

/* Variables for objects of the kernel's: so many words of eight bytes. Where they are all zeroes and the standard has an initializer for the
 * type, they become objects when they are first used. */
#if __SIZEOF_POINTER__ == 4
#define TAKTOS_POSIX_MUTEX_WORDS 8
#define TAKTOS_POSIX_CONDITION_WORDS 5
#define TAKTOS_POSIX_SEMAPHORE_WORDS 3
#else
#define TAKTOS_POSIX_MUTEX_WORDS 11
#define TAKTOS_POSIX_CONDITION_WORDS 7
#define TAKTOS_POSIX_SEMAPHORE_WORDS 4
#endif

#define TAKTOS_POSIX_TYPE(name, words) typedef struct { unsigned long long taktos[words]; } name

typedef struct taktos_posix_thread *pthread_t;
TAKTOS_POSIX_TYPE(pthread_attr_t, 7);
TAKTOS_POSIX_TYPE(pthread_mutex_t, TAKTOS_POSIX_MUTEX_WORDS);
TAKTOS_POSIX_TYPE(pthread_mutexattr_t, 3);
TAKTOS_POSIX_TYPE(pthread_cond_t, TAKTOS_POSIX_CONDITION_WORDS);
TAKTOS_POSIX_TYPE(pthread_condattr_t, 2);
TAKTOS_POSIX_TYPE(pthread_rwlock_t, TAKTOS_POSIX_MUTEX_WORDS + 2 * TAKTOS_POSIX_CONDITION_WORDS);
TAKTOS_POSIX_TYPE(pthread_rwlockattr_t, 2);
TAKTOS_POSIX_TYPE(pthread_barrier_t, TAKTOS_POSIX_MUTEX_WORDS + TAKTOS_POSIX_CONDITION_WORDS);
TAKTOS_POSIX_TYPE(pthread_barrierattr_t, 2);
TAKTOS_POSIX_TYPE(pthread_spinlock_t, TAKTOS_POSIX_MUTEX_WORDS);
typedef unsigned int pthread_key_t;
typedef int pthread_once_t;

#endif
