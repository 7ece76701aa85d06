/* POSIX message queues (IEEE Std 1003.1-2017); the book's page "C programs" says what differs.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TAKTOS_POSIX_MQUEUE_H_
#define TAKTOS_POSIX_MQUEUE_H_

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef long mqd_t;

/* Priorities are below. */
#undef MQ_PRIO_MAX
#define MQ_PRIO_MAX 256

struct mq_attr {
    long mq_flags;
    long mq_maxmsg;
    long mq_msgsize;
    long mq_curmsgs;
};

/* mq_open(name, flags), or with O_CREAT mq_open(name, flags, mode, attributes). Each gives -1 with the error's number in errno. */
mqd_t mq_open(const char *name, int flags, ...);
int mq_close(mqd_t queue);
int mq_unlink(const char *name);
int mq_send(mqd_t queue, const char *message, size_t length, unsigned int priority);
int mq_timedsend(mqd_t queue, const char *message, size_t length, unsigned int priority, const struct timespec *time);
ssize_t mq_receive(mqd_t queue, char *message, size_t room, unsigned int *priority);
ssize_t mq_timedreceive(mqd_t queue, char *message, size_t room, unsigned int *priority, const struct timespec *time);
int mq_notify(mqd_t queue, const struct sigevent *event);
int mq_getattr(mqd_t queue, struct mq_attr *attributes);
int mq_setattr(mqd_t queue, const struct mq_attr *attributes, struct mq_attr *old);

#ifdef __cplusplus
}
#endif

#endif
