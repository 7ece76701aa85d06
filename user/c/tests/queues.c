/* Message queues and semaphores with names: what each call gives back in a thread and in a handler of an interrupt, and what programs rely on
 * beside: order, who waits, who is told, what stays of a name.
 * Owns: the cases. Must never know: the board, but for an interrupt that no device has. */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define IS(expression, expected) compare(#expression, "", (long)(expression), (long)(expected))
#define MS 1000000L
#define SECOND 1000000000L
#define SIZE 9

static pthread_t helper;
static mqd_t queue;
static char text[SIZE + 1];
static unsigned int priority;
static volatile int seen;

/* errno after a call that gives -1; 0 for one that gives another value. */
static long failed(long result)
{
    return result == -1 ? errno : 0;
}

static long not_opened(sem_t *semaphore)
{
    return semaphore == SEM_FAILED ? errno : 0;
}

static struct timespec in(long nanoseconds)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    nanoseconds += time.tv_nsec;
    time.tv_sec += nanoseconds / SECOND;
    time.tv_nsec = nanoseconds % SECOND;
    return time;
}

/* Starts a helper with a priority; the one of main is 24. */
static void start(void *(*code)(void *), void *argument, int urgency)
{
    pthread_attr_t attributes;
    struct sched_param parameters = { .sched_priority = urgency };

    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes, &parameters);
    IS(pthread_create(&helper, &attributes, code, argument), 0);
}

static void *joined(void)
{
    void *result = NULL;

    IS(pthread_join(helper, &result), 0);
    return result;
}

static const char *long_name(void)
{
    static char name[300];

    name[0] = '/';
    for (int i = 1; i < 256; i++) {
        name[i] = 'n';
    }
    return name;
}

static void *wait_for_permit(void *semaphore)
{
    IS(sem_wait(semaphore), 0);
    seen++;
    return NULL;
}

static void semaphores(int row)
{
    static sem_t *semaphore, *same;
    static sem_t other;
    static sem_t *next;
    static int value = -1;

    BEGIN(semaphores);
    ROW(not_opened(sem_open("/one", 0)), ENOENT, EPERM);
    ROW(not_opened(sem_open(NULL, O_CREAT, 0600, 1)), EINVAL, EPERM);
    ROW(not_opened(sem_open("/", O_CREAT, 0600, 1)), EINVAL, EPERM);
    ROW(not_opened(sem_open(long_name(), O_CREAT, 0600, 1)), ENAMETOOLONG, EPERM);
    ROW(not_opened(sem_open("/one", O_CREAT, 0600, SEM_VALUE_MAX + 1U)), EINVAL, EPERM);
    ROW(failed(sem_unlink("/one")), ENOENT, EPERM);
    ROW(failed(sem_unlink("")), ENOENT, EPERM);
    ROW(failed(sem_unlink(long_name())), ENAMETOOLONG, EPERM);
    ROW(failed(sem_close(&other)), EINVAL, EPERM);
    semaphore = sem_open("/one", O_CREAT | O_EXCL, 0600, 2);
    IS(semaphore != SEM_FAILED, 1);
    ROW(not_opened(sem_open("/one", O_CREAT | O_EXCL, 0600, 2)), EEXIST, EPERM);
    same = sem_open("/one", O_CREAT, 0600, 9);
    IS(same, semaphore);
    IS(sem_getvalue(same, &value), 0);
    IS(value, 2);
    IS(sem_wait(semaphore), 0);
    IS(sem_trywait(same), 0);
    IS(failed(sem_trywait(same)), EAGAIN);
    seen = 0;
    start(wait_for_permit, same, 30);
    IS(seen, 0);
    ROW(sem_post(semaphore), 0, 0);
    IS(seen, 1);
    joined();
    IS(sem_trywait(semaphore), 0);

    /* The name goes at once, the semaphore with the last who closes it. */
    IS(sem_unlink("/one"), 0);
    IS(not_opened(sem_open("/one", 0)), ENOENT);
    IS(sem_post(semaphore), 0);
    next = sem_open("one", O_CREAT | O_EXCL, 0600, 0);
    IS(next != SEM_FAILED && next != semaphore, 1);
    IS(sem_close(semaphore), 0);
    IS(sem_wait(same), 0);
    IS(sem_close(same), 0);
    IS(failed(sem_close(same)), EINVAL);
    IS(sem_close(next), 0);
    IS(sem_open("/one", 0), next);
    IS(sem_close(next), 0);
    IS(sem_unlink("/one"), 0);
    END;
}

static void *receive(void *expected)
{
    unsigned int of_message = 77;
    char message[SIZE];

    IS(mq_receive(queue, message, sizeof message, &of_message), 1);
    IS(message[0], *(const char *)expected);
    seen++;
    return NULL;
}

static void *send(void *message)
{
    IS(mq_send(queue, message, 1, 3), 0);
    seen++;
    return NULL;
}

static void note(int number)
{
    (void)number;
    seen += 100;
}

static void *receive_interrupted(void *argument)
{
    char message[SIZE];

    IS(failed(mq_receive(queue, message, sizeof message, NULL)), EINTR);
    return argument;
}

static void openings(int row)
{
    static struct mq_attr attributes = { .mq_maxmsg = 0, .mq_msgsize = SIZE }, found;

    BEGIN(openings);
    ROW(failed(mq_open("/queue", O_RDWR)), ENOENT, EPERM);
    ROW(failed(mq_open(NULL, O_RDWR | O_CREAT, 0600, NULL)), EINVAL, EPERM);
    ROW(failed(mq_open("/queue", O_RDWR | O_WRONLY | O_CREAT, 0600, NULL)), EINVAL, EPERM);
    ROW(failed(mq_open(long_name(), O_RDWR | O_CREAT, 0600, NULL)), ENAMETOOLONG, EPERM);
    ROW(failed(mq_open("/queue", O_RDWR | O_CREAT, 0600, &attributes)), EINVAL, EPERM);
    attributes.mq_maxmsg = -1;
    ROW(failed(mq_open("/queue", O_RDWR | O_CREAT, 0600, &attributes)), EINVAL, EPERM);
    attributes.mq_maxmsg = 1000000000;
    ROW(failed(mq_open("/queue", O_RDWR | O_CREAT, 0600, &attributes)), ENOSPC, EPERM);
    attributes.mq_maxmsg = 3;
    ROW(failed(mq_unlink("/queue")), ENOENT, EPERM);
    ROW(failed(mq_unlink(long_name())), ENAMETOOLONG, EPERM);
    ROW(failed(mq_close(0)), EBADF, EPERM);
    ROW(failed(mq_send(-1, "a", 1, 0)), EBADF, EPERM);
    ROW(failed(mq_receive(-1, text, sizeof text, NULL)), EBADF, EPERM);
    ROW(failed(mq_getattr(-1, &found)), EBADF, EPERM);
    ROW(failed(mq_setattr(-1, &found, NULL)), EBADF, EPERM);
    ROW(failed(mq_notify(-1, NULL)), EBADF, EPERM);
    queue = mq_open("/queue", O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
    IS(queue != -1, 1);
    ROW(failed(mq_open("/queue", O_RDWR | O_CREAT | O_EXCL, 0600, NULL)), EEXIST, EPERM);
    IS(mq_getattr(queue, &found), 0);
    IS(found.mq_maxmsg, 3);
    IS(found.mq_msgsize, SIZE);
    IS(found.mq_curmsgs, 0);
    IS(found.mq_flags, 0);
    IS(failed(mq_getattr(queue, NULL)), EINVAL);
    IS(failed(mq_setattr(queue, NULL, NULL)), EINVAL);
    END;
}

static void messages(int row)
{
    static struct timespec past, wrong = { .tv_nsec = SECOND };
    static struct mq_attr attributes = { .mq_flags = O_NONBLOCK }, before;
    static mqd_t reader, writer;
    static struct timespec soon;

    BEGIN(messages);
    reader = mq_open("/queue", O_RDONLY | O_NONBLOCK);
    writer = mq_open("/queue", O_WRONLY);
    ROW(failed(mq_send(queue, "0123456789", SIZE + 1, 0)), EMSGSIZE, EPERM);
    ROW(failed(mq_send(queue, "a", 1, MQ_PRIO_MAX)), EINVAL, EPERM);
    ROW(failed(mq_receive(queue, text, SIZE - 1, NULL)), EMSGSIZE, EPERM);
    IS(failed(mq_send(reader, "a", 1, 0)), EBADF);
    IS(failed(mq_receive(writer, text, SIZE, NULL)), EBADF);
    IS(failed(mq_receive(reader, text, SIZE, NULL)), EAGAIN);
    ROW(failed(mq_timedreceive(queue, text, SIZE, NULL, &past)), ETIMEDOUT, EPERM);
    ROW(failed(mq_timedreceive(queue, text, SIZE, NULL, &wrong)), EINVAL, EPERM);
    soon = in(3 * MS);
    IS(failed(mq_timedreceive(queue, text, SIZE, NULL, &soon)), ETIMEDOUT);

    /* The highest priority first, first come first served among equals; lengths from none to all. */
    IS(mq_send(writer, "first", 5, 1), 0);
    IS(mq_send(queue, "012345678", SIZE, MQ_PRIO_MAX - 1), 0);
    IS(mq_timedsend(queue, NULL, 0, 1, &wrong), 0);
    IS(mq_getattr(reader, &before), 0);
    IS(before.mq_curmsgs, 3);
    IS(before.mq_flags, O_NONBLOCK);
    IS(failed(mq_timedsend(queue, "d", 1, 1, &past)), ETIMEDOUT);
    IS(failed(mq_timedsend(queue, "d", 1, 1, &wrong)), EINVAL);
    IS(mq_setattr(queue, &attributes, &before), 0);
    IS(before.mq_flags, 0);
    IS(failed(mq_send(queue, "d", 1, 1)), EAGAIN);
    attributes.mq_flags = 0;
    IS(mq_setattr(queue, &attributes, &before), 0);
    IS(before.mq_flags, O_NONBLOCK);
    IS(mq_timedreceive(queue, text, sizeof text, &priority, &wrong), SIZE);
    IS(text[8], '8');
    IS(priority, MQ_PRIO_MAX - 1);
    IS(mq_receive(reader, text, SIZE, &priority), 5);
    IS(text[0], 'f');
    IS(priority, 1);
    IS(mq_receive(queue, text, SIZE, NULL), 0);

    /* Who waits gets the message, or the room. */
    seen = 0;
    start(receive, "x", 30);
    IS(seen, 0);
    IS(mq_send(queue, "x", 1, 0), 0);
    IS(seen, 1);
    joined();
    for (int i = 0; i < 3; i++) {
        IS(mq_send(queue, "full", 4, 5), 0);
    }
    start(send, "y", 30);
    IS(seen, 1);
    IS(mq_receive(queue, text, SIZE, NULL), 4);
    IS(seen, 2);
    joined();
    IS(mq_receive(queue, text, SIZE, NULL), 4);
    IS(mq_receive(queue, text, SIZE, NULL), 4);
    IS(mq_receive(queue, text, SIZE, NULL), 1);
    IS(text[0], 'y');

    /* A signal ends a wait, and so does cancellation. */
    IS(signal(SIGUSR1, note) != SIG_ERR, 1);
    start(receive_interrupted, NULL, 30);
    IS(pthread_kill(helper, SIGUSR1), 0);
    joined();
    start(receive, "z", 30);
    IS(pthread_cancel(helper), 0);
    IS(joined(), PTHREAD_CANCELED);
    IS(mq_close(reader), 0);
    IS(mq_close(writer), 0);
    IS(failed(mq_close(writer)), EBADF);
    END;
}

static sem_t told;

static void tell(union sigval value)
{
    seen += value.sival_int;
    sem_post(&told);
}

static void notices(int row)
{
    static struct sigevent event = { .sigev_notify = 7 };
    static sigset_t set;
    static siginfo_t info;
    static struct timespec none = { 0 };
    static mqd_t other;

    BEGIN(notices);
    other = mq_open("/queue", O_RDONLY);
    sem_init(&told, 0, 0);
    ROW(failed(mq_notify(queue, &event)), EINVAL, EPERM);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGRTMIN;
    event.sigev_value.sival_int = 4;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    IS(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    IS(mq_notify(queue, &event), 0);
    IS(failed(mq_notify(other, &event)), EBUSY);
    IS(mq_send(queue, "a", 1, 0), 0);
    IS(sigtimedwait(&set, &info, &none), SIGRTMIN);
    IS(info.si_code, SI_MESGQ);
    IS(info.si_value.sival_int, 4);

    /* Once; and only of a message that comes to the empty queue, where nobody waits for it. */
    IS(mq_send(queue, "b", 1, 0), 0);
    IS(mq_notify(queue, &event), 0);
    IS(mq_send(queue, "c", 1, 0), 0);
    IS(failed(sigtimedwait(&set, &info, &none)), EAGAIN);
    for (int i = 0; i < 3; i++) {
        IS(mq_receive(queue, text, SIZE, NULL), 1);
    }
    start(receive, "d", 30);
    IS(mq_send(queue, "d", 1, 0), 0);
    joined();
    IS(failed(sigtimedwait(&set, &info, &none)), EAGAIN);
    IS(mq_notify(queue, NULL), 0);
    IS(mq_send(queue, "e", 1, 0), 0);
    IS(failed(sigtimedwait(&set, &info, &none)), EAGAIN);
    IS(mq_receive(queue, text, SIZE, NULL), 1);

    seen = 0;
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = tell;
    IS(mq_notify(queue, &event), 0);
    IS(mq_send(queue, "f", 1, 0), 0);
    IS(sem_wait(&told), 0);
    IS(seen, 4);
    IS(mq_receive(queue, text, SIZE, NULL), 1);

    /* Who closes the descriptor is told no more. */
    IS(mq_notify(other, &event), 0);
    IS(mq_close(other), 0);
    IS(mq_notify(queue, &event), 0);
    IS(mq_notify(queue, NULL), 0);
    END;
}

static void ends(void)
{
    mqd_t other = mq_open("/queue", O_RDWR), usual;
    struct mq_attr found;

    IS(mq_send(queue, "last", 4, 0), 0);
    IS(mq_unlink("/queue"), 0);
    IS(failed(mq_open("/queue", O_RDWR)), ENOENT);
    IS(mq_close(queue), 0);
    IS(mq_receive(other, text, SIZE, NULL), 4);
    IS(mq_close(other), 0);

    /* What lies in a queue stays while nobody has it open. */
    usual = mq_open("queue", O_RDWR | O_CREAT, 0600, NULL);
    IS(mq_getattr(usual, &found), 0);
    IS(found.mq_maxmsg, 10);
    IS(found.mq_msgsize, 128);
    IS(mq_send(usual, "kept", 4, 0), 0);
    IS(mq_close(usual), 0);
    usual = mq_open("/queue", O_RDWR);
    IS(mq_getattr(usual, &found), 0);
    IS(found.mq_curmsgs, 1);
    IS(mq_close(usual), 0);
    IS(mq_unlink("/queue"), 0);

    /* Nothing is lost on the way. */
    for (int i = 0; i < 2000; i++) {
        usual = mq_open("/queue", O_RDWR | O_CREAT, 0600, NULL);
        if (usual == -1 || mq_close(usual) != 0 || mq_unlink("/queue") != 0) {
            IS(i, -1);
            break;
        }
    }
}

int main(void)
{
    struct sched_param parameters = { .sched_priority = 24 };

    TAKTOS_INTERRUPT_ENABLE(SPARE);
    IS(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters), 0);
    semaphores(0);
    openings(0);
    messages(0);
    notices(0);
    ends();
    report();
    return 1;
}
