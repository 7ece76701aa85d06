/* POSIX semaphores (IEEE Std 1003.1-2017); the book's page "C programs" says what differs.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TAKTOS_POSIX_SEMAPHORE_H_
#define TAKTOS_POSIX_SEMAPHORE_H_

#include <fcntl.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

TAKTOS_POSIX_TYPE(sem_t, TAKTOS_POSIX_SEMAPHORE_WORDS);

#undef SEM_VALUE_MAX
#define SEM_VALUE_MAX 2147483647
#define SEM_FAILED ((sem_t *)0)

/* Each gives 0, or -1 with the error's number in errno. sem_post, sem_trywait and sem_getvalue are allowed in handlers. */
int sem_init(sem_t *semaphore, int shared, unsigned int value);
int sem_destroy(sem_t *semaphore);
int sem_post(sem_t *semaphore);
int sem_wait(sem_t *semaphore);
int sem_trywait(sem_t *semaphore);
int sem_timedwait(sem_t *semaphore, const struct timespec *time);
int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *time);
int sem_getvalue(sem_t *semaphore, int *value);

/* Those with names: sem_open(name, flags), or with O_CREAT sem_open(name, flags, mode, value); SEM_FAILED for none. */
sem_t *sem_open(const char *name, int flags, ...);
int sem_close(sem_t *semaphore);
int sem_unlink(const char *name);

#ifdef __cplusplus
}
#endif

#endif
