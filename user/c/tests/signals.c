/* Signals and timers of POSIX: what each call gives back in a thread and in a handler of an interrupt, and what programs rely on beside:
 * which thread gets a signal, in which order, what ends a wait and what does not, what a timer counts.
 * Owns: the cases. Must never know: the board, but for an interrupt that no device has. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define IS(expression, expected) compare(#expression, "", (long)(expression), (long)(expected))
#define MS 1000000L
#define SECOND 1000000000L

static pthread_t helper, first;
static volatile int seen, seen_value, seen_code;
static int order[8], places;
static pthread_t seen_in;
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

/* errno after a call that gives -1; 0 for one that gives another value. */
static long failed(long result)
{
    return result == -1 ? errno : 0;
}

static struct timespec in(clockid_t clock, long nanoseconds)
{
    struct timespec time;

    clock_gettime(clock, &time);
    nanoseconds += time.tv_nsec;
    time.tv_sec += nanoseconds / SECOND;
    time.tv_nsec = nanoseconds % SECOND;
    return time;
}

static long long now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * SECOND + time.tv_nsec;
}

/* Starts a helper with a priority; the one of main is 24. */
static void start(void *(*code)(void *), void *argument, int priority)
{
    pthread_attr_t attributes;
    struct sched_param parameters = { .sched_priority = priority };

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

static void note(int number)
{
    seen++;
    seen_in = pthread_self();
    if (places < 8) {
        order[places++] = number;
    }
    errno = ENOMEM;
}

static void note_more(int number, siginfo_t *info, void *nothing)
{
    note(number);
    seen_value = info->si_value.sival_int;
    seen_code = info->si_code;
    if (nothing != NULL || info->si_signo != number) {
        seen = -1000;
    }
}

/* Has a handler called for a signal, with another one not let through meanwhile. */
static void handle(int number, int flags, int blocked)
{
    struct sigaction action = { .sa_flags = flags };

    sigemptyset(&action.sa_mask);
    if (blocked != 0) {
        sigaddset(&action.sa_mask, blocked);
    }
    if (flags & SA_SIGINFO) {
        action.sa_sigaction = note_more;
    } else {
        action.sa_handler = note;
    }
    IS(sigaction(number, &action, NULL), 0);
    seen = places = 0;
    seen_value = seen_code = -1;
}

static sigset_t only(int number)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, number);
    return set;
}

static void mask(int how, int number)
{
    sigset_t set = only(number);

    IS(pthread_sigmask(how, &set, NULL), 0);
}

/* What a row names lies in static memory, or its function needs a trampoline. */
static void sets(int row)
{
    static sigset_t set;

    BEGIN(sets);
    ROW(sigemptyset(&set), 0, 0);
    ROW(sigismember(&set, SIGUSR1), 0, 0);
    ROW(sigaddset(&set, SIGUSR1), 0, 0);
    ROW(sigismember(&set, SIGUSR1), 1, 1);
    ROW(sigdelset(&set, SIGUSR1), 0, 0);
    ROW(sigismember(&set, SIGUSR1), 0, 0);
    ROW(sigfillset(&set), 0, 0);
    ROW(sigismember(&set, SIGRTMAX), 1, 1);
    ROW(failed(sigaddset(&set, 0)), EINVAL, EINVAL);
    ROW(failed(sigaddset(&set, SIGRTMAX + 1)), EINVAL, EINVAL);
    ROW(failed(sigdelset(&set, -1)), EINVAL, EINVAL);
    ROW(failed(sigismember(&set, 1000)), EINVAL, EINVAL);
    ROW(failed(sigemptyset(NULL)), EINVAL, EINVAL);
    ROW(failed(sigfillset(NULL)), EINVAL, EINVAL);
    END;
}

static void actions(int row)
{
    static struct sigaction action = { .sa_handler = note }, old;
    static union sigval value = { .sival_int = 7 };
    static sigset_t set;
    static sigset_t before;

    BEGIN(actions);
    set = only(SIGUSR1);
    sigemptyset(&action.sa_mask);
    ROW(failed(sigaction(0, &action, NULL)), EINVAL, EINVAL);
    ROW(failed(sigaction(SIGRTMAX + 1, &action, NULL)), EINVAL, EINVAL);
    ROW(failed(sigaction(SIGKILL, &action, NULL)), EINVAL, EINVAL);
    ROW(failed(sigaction(SIGSTOP, &action, NULL)), EINVAL, EINVAL);
    ROW(failed(sigaction(SIGUSR1, &action, NULL)), 0, EPERM);
    ROW(sigaction(SIGUSR1, NULL, &old), 0, 0);
    IS(old.sa_handler, note);
    IS(signal(SIGUSR1, SIG_IGN), note);
    IS(signal(SIGUSR1, SIG_DFL), SIG_IGN);
    ROW(signal(SIGKILL, SIG_IGN), SIG_ERR, SIG_ERR);

    ROW(pthread_kill(first, -1), EINVAL, EPERM);
    ROW(pthread_kill(first, SIGRTMAX + 1), EINVAL, EPERM);
    ROW(pthread_kill(NULL, SIGUSR1), ESRCH, EPERM);
    ROW(pthread_kill(first, 0), 0, EPERM);
    ROW(failed(kill(77, SIGUSR1)), ESRCH, ESRCH);
    ROW(failed(kill(getpid(), 1000)), EINVAL, EPERM);
    ROW(failed(kill(getpid(), 0)), 0, EPERM);
    ROW(failed(sigqueue(77, SIGUSR1, value)), ESRCH, ESRCH);
    ROW(failed(sigqueue(getpid(), 1000, value)), EINVAL, EPERM);
    ROW(failed(raise(1000)), EINVAL, EPERM);
    ROW(pthread_sigmask(9, &set, NULL), EINVAL, EPERM);
    ROW(failed(sigprocmask(9, &set, NULL)), EINVAL, EPERM);
    ROW(failed(sigpending(&set)), 0, EPERM);
    ROW(failed(sigpending(NULL)), EINVAL, EPERM);

    /* A signal to oneself is handled at once; errno stays. */
    handle(SIGUSR1, 0, 0);
    errno = EBUSY;
    IS(raise(SIGUSR1), 0);
    IS(errno, EBUSY);
    IS(seen, 1);
    IS(pthread_equal(seen_in, first), 1);
    IS(pthread_kill(first, SIGUSR1), 0);
    IS(kill(getpid(), SIGUSR1), 0);
    IS(seen, 3);
    handle(SIGUSR1, SA_SIGINFO, 0);
    IS(sigqueue(getpid(), SIGUSR1, value), 0);
    IS(seen, 1);
    IS(seen_value, 7);
    IS(seen_code, SI_QUEUE);
    IS(raise(SIGUSR1), 0);
    IS(seen_code, SI_USER);

    /* Not let through: pending, once; those that are queued, as often as they were sent, the lowest number first. */
    handle(SIGUSR1, 0, 0);
    mask(SIG_BLOCK, SIGUSR1);
    IS(raise(SIGUSR1), 0);
    IS(raise(SIGUSR1), 0);
    IS(seen, 0);
    IS(sigpending(&set), 0);
    IS(sigismember(&set, SIGUSR1), 1);
    IS(sigismember(&set, SIGUSR2), 0);
    IS(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
    IS(sigismember(&before, SIGUSR1), 1);
    mask(SIG_UNBLOCK, SIGUSR1);
    IS(seen, 1);
    handle(SIGRTMIN + 1, SA_SIGINFO, 0);
    handle(SIGRTMIN, SA_SIGINFO, 0);
    mask(SIG_BLOCK, SIGRTMIN);
    mask(SIG_BLOCK, SIGRTMIN + 1);
    for (value.sival_int = 1; value.sival_int < 4; value.sival_int++) {
        IS(sigqueue(getpid(), SIGRTMIN + (value.sival_int == 1), value), 0);
    }
    IS(seen, 0);
    sigemptyset(&set);
    IS(pthread_sigmask(SIG_SETMASK, &set, NULL), 0);
    IS(seen, 3);
    IS(order[0], SIGRTMIN);
    IS(order[1], SIGRTMIN);
    IS(order[2], SIGRTMIN + 1);
    IS(seen_value, 1);

    ROW(failed(sighold(1000)), EINVAL, EINVAL);
    ROW(failed(sigrelse(0)), EINVAL, EINVAL);
    ROW(failed(sigpause(1000)), EINVAL, EPERM);
    ROW(failed(sigignore(SIGKILL)), EINVAL, EINVAL);
    handle(SIGUSR2, 0, 0);
    IS(sighold(SIGUSR2), 0);
    IS(raise(SIGUSR2), 0);
    IS(seen, 0);
    IS(failed(sigpause(SIGUSR2)), EINTR);
    IS(seen, 1);
    IS(raise(SIGUSR2), 0);
    IS(sigrelse(SIGUSR2), 0);
    IS(seen, 2);
    ROW(sigset(SIGKILL, SIG_IGN), SIG_ERR, SIG_ERR);
    IS(sigset(SIGUSR2, SIG_HOLD), note);
    IS(raise(SIGUSR2), 0);
    places = 0;
    IS(sigset(SIGUSR2, note), SIG_HOLD);
    IS(places, 1);
    IS(sigset(SIGUSR2, SIG_DFL), note);
    seen = 2;
    IS(sigignore(SIGUSR2), 0);
    IS(raise(SIGUSR2), 0);
    IS(seen, 2);
    /* Ignored ones are gone; an action for one signal is gone with it. */
    IS(signal(SIGUSR1, SIG_IGN) != SIG_ERR, 1);
    IS(raise(SIGUSR1), 0);
    IS(raise(SIGCHLD), 0);
    handle(SIGUSR1, SA_RESETHAND, 0);
    IS(raise(SIGUSR1), 0);
    IS(sigaction(SIGUSR1, NULL, &old), 0);
    IS(old.sa_handler, SIG_DFL);
    IS(seen, 1);
    END;
}

static void send_again(int number)
{
    note(number);
    if (seen < 3) {
        raise(SIGUSR1);
        raise(SIGUSR2);
    }
    note(100 + number);
}

static void nesting(void)
{
    struct sigaction action = { .sa_handler = send_again };

    handle(SIGUSR2, 0, 0);
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR2);
    IS(sigaction(SIGUSR1, &action, NULL), 0);
    IS(raise(SIGUSR1), 0);
    /* Neither comes in between: both when the handler is done, the lower number first. */
    IS(order[0], SIGUSR1);
    IS(order[1], 100 + SIGUSR1);
    IS(order[2], SIGUSR1);
    IS(order[3], 100 + SIGUSR1);
    IS(order[4], SIGUSR2);
    IS(seen, 5);
}

static void *wait_for_permit(void *argument)
{
    long error = failed(sem_wait(&semaphore));

    IS(error, EINTR);
    return argument;
}

static void *wait_for_condition(void *argument)
{
    IS(pthread_mutex_lock(&mutex), 0);
    IS(pthread_cond_wait(&condition, &mutex), 0);
    IS(pthread_mutex_unlock(&mutex), 0);
    return argument;
}

static void *sleep_long(void *argument)
{
    struct timespec time = { .tv_sec = 5 }, left = { 0 };

    IS(failed(nanosleep(&time, &left)), EINTR);
    IS(left.tv_sec == 4 && left.tv_nsec > 0, 1);
    IS(sleep(9), 9);
    return argument;
}

static void *compute(void *argument)
{
    long long end = now() + 5 * MS;

    while (now() < end) {
    }
    *(volatile int *)argument = seen;
    IS(failed(usleep(1000)), 0);
    return argument;
}

static void *compute_and_end(void *argument)
{
    long long end = now() + 5 * MS;

    while (now() < end) {
    }
    return argument;
}

static void *compute_with_calls(void *argument)
{
    long long end = now() + 5 * MS;

    while (now() < end) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    *(volatile int *)argument = seen;
    return argument;
}

static void *join_other(void *other)
{
    IS(pthread_join(*(pthread_t *)other, NULL), 0);
    return other;
}

static void *lock_and_sleep(void *argument)
{
    IS(pthread_mutex_lock(&mutex), 0);
    IS(pthread_mutex_unlock(&mutex), 0);
    IS(failed(usleep(1000)), 0);
    return argument;
}

static void *lock_twice(void *argument)
{
    IS(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL), 0);
    IS(pthread_mutex_lock(&mutex), 0);
    pthread_mutex_lock(&mutex);
    return argument;
}

static void *take_permit(void *argument)
{
    IS(sem_wait(&semaphore), 0);
    return argument;
}

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;

static void *read_locked(void *argument)
{
    IS(pthread_rwlock_rdlock(&lock), 0);
    IS(seen, 1);
    IS(pthread_rwlock_unlock(&lock), 0);
    return argument;
}

static void *meet(void *argument)
{
    int met = pthread_barrier_wait(&barrier);

    IS(met == 0 || met == PTHREAD_BARRIER_SERIAL_THREAD, 1);
    return argument;
}

/* Handlers run in them, and they go on. */
static void waits_that_go_on(void)
{
    handle(SIGUSR1, 0, 0);
    IS(pthread_rwlock_wrlock(&lock), 0);
    start(read_locked, NULL, 30);
    IS(pthread_kill(helper, SIGUSR1), 0);
    IS(seen, 1);
    IS(pthread_rwlock_unlock(&lock), 0);
    joined();
    IS(pthread_barrier_init(&barrier, NULL, 2), 0);
    start(meet, NULL, 30);
    IS(pthread_kill(helper, SIGUSR1), 0);
    IS(seen, 2);
    meet(NULL);
    joined();
    IS(pthread_barrier_destroy(&barrier), 0);
}

static void waits(void)
{
    static volatile int before;
    pthread_t sleeper;

    sem_init(&semaphore, 0, 0);
    handle(SIGUSR1, 0, 0);
    start(wait_for_permit, NULL, 30);
    IS(pthread_kill(helper, SIGUSR1), 0);
    joined();
    IS(pthread_equal(seen_in, helper), 1);
    start(wait_for_condition, NULL, 30);
    IS(pthread_kill(helper, SIGUSR1), 0);
    joined();
    start(sleep_long, NULL, 30);
    IS(pthread_kill(helper, SIGUSR1), 0);
    IS(pthread_kill(helper, SIGUSR1), 0);
    joined();
    IS(seen, 4);

    /* A thread that computes gets it where it waits next, and waits all the same. */
    handle(SIGUSR1, 0, 0);
    start(compute, (void *)&before, 20);
    usleep(1000);
    IS(pthread_kill(helper, SIGUSR1), 0);
    IS(seen, 0);
    joined();
    IS(before, 0);
    IS(seen, 1);

    /* One that ends does not lose it. */
    start(compute_and_end, NULL, 20);
    usleep(1000);
    IS(pthread_kill(helper, SIGUSR1), 0);
    joined();
    IS(seen, 2);
    seen = 1;

    /* It gets it in a call of a mutex's, too. One to the program is rather for a thread that waits. */
    start(compute_with_calls, (void *)&before, 20);
    usleep(1000);
    IS(pthread_kill(helper, SIGUSR1), 0);
    joined();
    IS(before, 2);
    seen = 1;
    sem_init(&semaphore, 0, 0);
    start(wait_for_permit, NULL, 30);
    sleeper = helper;
    start(compute_with_calls, (void *)&before, 20);
    usleep(1000);
    mask(SIG_BLOCK, SIGUSR1);
    IS(kill(getpid(), SIGUSR1), 0);
    IS(seen, 2);
    IS(pthread_equal(seen_in, sleeper), 1);
    joined();
    IS(pthread_join(sleeper, NULL), 0);
    seen = 1;
    mask(SIG_UNBLOCK, SIGUSR1);

    /* Waits for a thread's end and for a mutex go on. */
    start(compute, (void *)&before, 20);
    sleeper = helper;
    start(join_other, &sleeper, 30);
    IS(pthread_kill(helper, SIGUSR1), 0);
    joined();
    IS(seen, 2);
    IS(pthread_mutex_lock(&mutex), 0);
    start(lock_and_sleep, NULL, 30);
    IS(pthread_kill(helper, SIGUSR1), 0);
    IS(seen, 3);
    IS(pthread_mutex_unlock(&mutex), 0);
    joined();
    IS(seen, 3);
    /* Also that for a mutex of the thread's own. */
    start(lock_twice, NULL, 30);
    IS(pthread_kill(helper, SIGUSR1), 0);
    IS(pthread_kill(helper, SIGUSR1), 0);
    IS(seen, 5);
    IS(pthread_cancel(helper), 0);
    IS(joined(), PTHREAD_CANCELED);
    IS(pthread_mutex_init(&mutex, NULL), 0);

    /* One for a permit goes on where the handler's action says so. */
    handle(SIGUSR1, SA_RESTART, 0);
    start(take_permit, NULL, 30);
    IS(pthread_kill(helper, SIGUSR1), 0);
    IS(pthread_kill(helper, SIGUSR1), 0);
    IS(seen, 2);
    IS(pthread_tryjoin_np(helper, NULL), EBUSY);
    IS(sem_post(&semaphore), 0);
    joined();

    /* One to the program is the caller's where it lets it through, else another thread's. */
    handle(SIGUSR1, 0, 0);
    start(sleep_long, NULL, 30);
    mask(SIG_BLOCK, SIGUSR1);
    IS(kill(getpid(), SIGUSR1), 0);
    IS(pthread_equal(seen_in, helper), 1);
    IS(kill(getpid(), SIGUSR1), 0);
    joined();
    IS(seen, 2);
    IS(kill(getpid(), SIGUSR1), 0);
    IS(seen, 2);
    mask(SIG_UNBLOCK, SIGUSR1);
    IS(seen, 3);
}

static void *take_two(void *argument)
{
    sigset_t set = only(SIGRTMIN);
    siginfo_t info = { 0 };
    int number = 0;

    IS(sigwaitinfo(&set, &info), SIGRTMIN);
    IS(info.si_value.sival_int, 11);
    IS(info.si_code, SI_QUEUE);
    IS(info.si_pid, getpid());
    IS(info.si_uid, getuid());
    IS(sigwait(&set, &number), 0);
    IS(number, SIGRTMIN);
    return argument;
}

static void *suspend(void *argument)
{
    sigset_t set;

    sigfillset(&set);
    sigdelset(&set, SIGUSR2);
    IS(failed(sigsuspend(&set)), EINTR);
    IS(order[0], SIGUSR2);
    IS(failed(pause()), EINTR);
    return argument;
}

static void *wait_for_signal(void *argument)
{
    sigset_t set = only(SIGRTMIN);

    IS(failed(sigwaitinfo(&set, NULL)), EINTR);
    IS(failed(sigtimedwait(&set, NULL, NULL)), 0);
    return argument;
}

static void *wait_for_ever(void *argument)
{
    sigset_t set = only(SIGRTMIN);
    int number;

    sigwait(&set, &number);
    return argument;
}

static void taking(int row)
{
    static struct timespec none, wrong = { .tv_nsec = SECOND };
    static sigset_t set;
    static int number;
    static struct timespec short_time = { .tv_nsec = 3 * MS };
    static union sigval value = { .sival_int = 11 };
    static long long begin;

    BEGIN(taking);
    set = only(SIGRTMIN);
    mask(SIG_BLOCK, SIGRTMIN);
    ROW(failed(sigtimedwait(&set, NULL, &none)), EAGAIN, EPERM);
    ROW(failed(sigtimedwait(&set, NULL, &wrong)), EINVAL, EINVAL);
    ROW(failed(sigtimedwait(NULL, NULL, &none)), EINVAL, EINVAL);
    ROW(failed(sigwaitinfo(NULL, NULL)), EINVAL, EINVAL);
    ROW(sigwait(NULL, &number), EINVAL, EINVAL);
    ROW(failed(sigsuspend(NULL)), EINVAL, EINVAL);
    begin = now();
    IS(failed(sigtimedwait(&set, NULL, &short_time)), EAGAIN);
    IS(now() - begin >= 3 * MS && now() - begin < 5 * MS, 1);
    IS(sigqueue(getpid(), SIGRTMIN, value), 0);
    IS(sigtimedwait(&set, NULL, &none), SIGRTMIN);
    IS(failed(sigtimedwait(&set, NULL, &none)), EAGAIN);

    /* A helper has the mask of who makes it. */
    start(take_two, NULL, 30);
    IS(sigqueue(getpid(), SIGRTMIN, value), 0);
    IS(pthread_kill(helper, SIGRTMIN), 0);
    joined();

    handle(SIGUSR1, 0, 0);
    handle(SIGUSR2, 0, 0);
    start(suspend, NULL, 30);
    IS(pthread_kill(helper, SIGUSR1), 0);
    IS(seen, 0);
    IS(pthread_kill(helper, SIGUSR2), 0);
    IS(seen, 2);
    IS(pthread_kill(helper, SIGUSR1), 0);
    joined();
    start(wait_for_signal, NULL, 30);
    IS(pthread_kill(helper, SIGUSR1), 0);
    IS(pthread_kill(helper, SIGRTMIN), 0);
    joined();
    start(wait_for_ever, NULL, 30);
    IS(pthread_cancel(helper), 0);
    IS(joined(), PTHREAD_CANCELED);
    mask(SIG_UNBLOCK, SIGRTMIN);
    END;
}

static sem_t expired;
static pthread_t notifier;
static volatile int notified;

static void notify(union sigval value)
{
    struct sched_param parameters;
    int policy;

    notifier = pthread_self();
    pthread_getschedparam(notifier, &policy, &parameters);
    notified = value.sival_int * 100 + parameters.sched_priority;
    sem_post(&expired);
}

static struct itimerspec every(long value, long interval)
{
    struct itimerspec spec = {
        .it_value = { .tv_sec = value / SECOND, .tv_nsec = value % SECOND },
        .it_interval = { .tv_sec = interval / SECOND, .tv_nsec = interval % SECOND },
    };

    return spec;
}

static void timers(int row)
{
    static struct itimerspec spec;
    static timer_t timer, gone;
    static struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 5 };
    static sigset_t set;
    static siginfo_t info = { 0 };
    static struct itimerspec old;
    static struct timespec none = { 0 }, time;
    static timer_t other;
    static long long begin;

    BEGIN(timers);
    set = only(SIGRTMIN);
    spec = every(4 * MS, 0);
    ROW(failed(timer_create(99, &event, &timer)), EINVAL, EPERM);
    ROW(failed(timer_create(CLOCK_MONOTONIC, &event, NULL)), EINVAL, EPERM);
    event.sigev_signo = 0;
    ROW(failed(timer_create(CLOCK_MONOTONIC, &event, &timer)), EINVAL, EPERM);
    event.sigev_signo = SIGRTMIN;
    event.sigev_notify = 9;
    ROW(failed(timer_create(CLOCK_MONOTONIC, &event, &timer)), EINVAL, EPERM);
    ROW(failed(timer_delete(gone)), EINVAL, EPERM);
    ROW(failed(timer_settime(gone, 0, &spec, NULL)), EINVAL, EPERM);
    ROW(failed(timer_gettime(gone, &spec)), EINVAL, EPERM);
    ROW(failed(timer_getoverrun(gone)), EINVAL, EPERM);
    event.sigev_notify = SIGEV_SIGNAL;
    mask(SIG_BLOCK, SIGRTMIN);
    IS(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    ROW(failed(timer_settime(timer, 0, NULL, NULL)), EINVAL, EPERM);
    ROW(failed(timer_gettime(timer, NULL)), EINVAL, EPERM);
    spec.it_value.tv_nsec = SECOND;
    IS(failed(timer_settime(timer, 0, &spec, NULL)), EINVAL);
    spec.it_value.tv_nsec = -1;
    IS(failed(timer_settime(timer, 0, &spec, NULL)), EINVAL);
    spec.it_value = (struct timespec){ .tv_sec = -1 };
    IS(failed(timer_settime(timer, 0, &spec, NULL)), EINVAL);
    spec.it_value.tv_sec = 1;
    spec.it_interval.tv_sec = -1;
    IS(failed(timer_settime(timer, TIMER_ABSTIME, &spec, NULL)), EINVAL);

    /* Once: neither before its time nor later than the next millisecond. */
    spec = every(4 * MS + 300000, 0);
    begin = now();
    IS(timer_settime(timer, 0, &spec, NULL), 0);
    IS(timer_gettime(timer, &old), 0);
    IS(old.it_value.tv_sec == 0 && old.it_value.tv_nsec > 3 * MS && old.it_interval.tv_nsec == 0, 1);
    IS(sigwaitinfo(&set, &info), SIGRTMIN);
    IS(now() - begin >= 4 * MS + 300000 && now() - begin < 5 * MS + 300000, 1);
    IS(info.si_code, SI_TIMER);
    IS(info.si_value.sival_int, 5);
    IS(timer_gettime(timer, &old), 0);
    IS(old.it_value.tv_nsec, 0);
    IS(timer_getoverrun(timer), 0);

    /* Periodic: what nobody has got counts. */
    spec = every(2 * MS, 3 * MS);
    IS(timer_settime(timer, 0, &spec, NULL), 0);
    IS(sigwaitinfo(&set, NULL), SIGRTMIN);
    begin = now();
    usleep(10500);
    IS(sigtimedwait(&set, NULL, &none), SIGRTMIN);
    IS(timer_getoverrun(timer), 2);
    IS(sigwaitinfo(&set, NULL), SIGRTMIN);
    IS(now() - begin >= 11 * MS && now() - begin < 13 * MS, 1);
    IS(timer_getoverrun(timer), 0);
    spec = every(0, 0);
    IS(timer_settime(timer, 0, &spec, &old), 0);
    IS(old.it_interval.tv_nsec, 3 * MS);
    IS(old.it_value.tv_nsec > 0 && old.it_value.tv_nsec <= 3 * MS, 1);
    usleep(5000);
    IS(failed(sigtimedwait(&set, NULL, &none)), EAGAIN);

    /* By an instant; one that is past is due at once. By the time of day, also where that is set. */
    spec = every(0, 0);
    spec.it_value = in(CLOCK_MONOTONIC, 3 * MS);
    IS(timer_settime(timer, TIMER_ABSTIME, &spec, NULL), 0);
    usleep(2000);
    IS(failed(sigtimedwait(&set, NULL, &none)), EAGAIN);
    usleep(2000);
    IS(sigtimedwait(&set, NULL, &none), SIGRTMIN);
    spec = every(1, 0);
    IS(timer_settime(timer, TIMER_ABSTIME, &spec, NULL), 0);
    usleep(1000);
    IS(sigtimedwait(&set, NULL, &none), SIGRTMIN);
    spec.it_value.tv_sec = -5;
    IS(timer_settime(timer, TIMER_ABSTIME, &spec, NULL), 0);
    usleep(1000);
    IS(sigtimedwait(&set, NULL, &none), SIGRTMIN);
    event.sigev_value.sival_int = 6;
    IS(timer_create(CLOCK_REALTIME, &event, &other), 0);
    spec.it_value = in(CLOCK_REALTIME, 0);
    spec.it_value.tv_sec += 100;
    IS(timer_settime(other, TIMER_ABSTIME, &spec, NULL), 0);
    usleep(2000);
    IS(failed(sigtimedwait(&set, NULL, &none)), EAGAIN);
    time = in(CLOCK_REALTIME, 0);
    time.tv_sec += 100;
    IS(clock_settime(CLOCK_REALTIME, &time), 0);
    usleep(1000);
    IS(sigtimedwait(&set, &info, &none), SIGRTMIN);
    IS(info.si_value.sival_int, 6);

    /* No interval is too short for others to run; what was due meanwhile is counted. */
    spec = every(1 * MS, 100);
    IS(timer_settime(timer, 0, &spec, NULL), 0);
    usleep(3000);
    IS(sigtimedwait(&set, NULL, &none), SIGRTMIN);
    IS(timer_getoverrun(timer) >= 20000 && timer_getoverrun(timer) < 40000, 1);
    IS(timer_gettime(timer, &old), 0);
    IS(old.it_value.tv_nsec > 0 && old.it_value.tv_nsec <= 100100, 1);
    spec = every(0, 0);
    IS(timer_settime(timer, 0, &spec, NULL), 0);
    sigtimedwait(&set, NULL, &none);

    /* A timer that is deleted leaves no signal. */
    spec = every(1 * MS, 0);
    IS(timer_settime(other, 0, &spec, NULL), 0);
    usleep(2000);
    IS(timer_delete(other), 0);
    IS(failed(timer_delete(other)), EINVAL);
    IS(failed(sigtimedwait(&set, NULL, &none)), EAGAIN);
    IS(timer_delete(timer), 0);
    mask(SIG_UNBLOCK, SIGRTMIN);
    END;
}

static void *sleep_by_day(void *argument)
{
    IS(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, argument, NULL), 0);
    return argument;
}

static void notices(void)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = notify, .sigev_value.sival_int = 3 };
    struct itimerspec spec = every(2 * MS, 0), old;
    pthread_attr_t attributes;
    struct sched_param parameters = { .sched_priority = 33 };
    struct timespec time;
    timer_t timer;

    sem_init(&expired, 0, 0);
    IS(timer_create(CLOCK_REALTIME, &event, &timer), 0);
    IS(timer_settime(timer, 0, &spec, NULL), 0);
    IS(sem_wait(&expired), 0);
    /* Its priority is that of who has made the timer. */
    IS(notified, 324);
    IS(pthread_equal(notifier, first), 0);
    IS(timer_delete(timer), 0);
    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedparam(&attributes, &parameters);
    event.sigev_notify_attributes = &attributes;
    IS(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    pthread_attr_destroy(&attributes);
    spec = every(1 * MS, 1 * MS);
    IS(timer_settime(timer, 0, &spec, NULL), 0);
    for (int i = 0; i < 5; i++) {
        IS(sem_wait(&expired), 0);
        IS(notified, 333);
    }
    IS(timer_delete(timer), 0);
    IS(failed(timer_create(CLOCK_MONOTONIC, &event, &timer)), EINVAL);
    event.sigev_notify_attributes = NULL;
    event.sigev_notify_function = NULL;
    IS(failed(timer_create(CLOCK_MONOTONIC, &event, &timer)), EINVAL);
    event.sigev_notify = SIGEV_NONE;
    IS(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    spec = every(5 * MS, 0);
    IS(timer_settime(timer, 0, &spec, NULL), 0);
    usleep(2000);
    IS(timer_gettime(timer, &old), 0);
    IS(old.it_value.tv_nsec > 0 && old.it_value.tv_nsec <= 3 * MS, 1);
    IS(timer_delete(timer), 0);

    /* The alarm, and who sleeps by the time of day. */
    handle(SIGALRM, 0, 0);
    IS(alarm(10), 0);
    IS(alarm(1), 10);
    IS(sleep(2), 1);
    IS(seen, 1);
    IS(alarm(0), 0);
    time = in(CLOCK_REALTIME, 0);
    time.tv_sec += 50;
    start(sleep_by_day, &time, 30);
    time.tv_sec += 1;
    IS(clock_settime(CLOCK_REALTIME, &time), 0);
    joined();
    IS(alarm(3), 0);
    IS(timer_create(CLOCK_MONOTONIC, NULL, &timer), 0);
    spec = every(2 * MS, 0);
    IS(timer_settime(timer, 0, &spec, NULL), 0);
    IS(failed(pause()), EINTR);
    IS(seen, 2);
    IS(timer_delete(timer), 0);
    IS(alarm(0), 3);
}

static long long on(clockid_t clock)
{
    struct timespec time = { .tv_sec = -1 };

    clock_gettime(clock, &time);
    return (long long)time.tv_sec * SECOND + time.tv_nsec;
}

static void compute_for(long span)
{
    long long end = now() + span;

    while (now() < end) {
    }
}

static volatile int computes;

static void *compute_until_told(void *argument)
{
    while (computes) {
    }
    return argument;
}

/* Clocks of threads' processor time: without them in the library the calls say so. */
static void processor_time(int row)
{
    static struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
    static struct itimerspec spec;
    static struct timespec time;
    static timer_t timer;
    static clockid_t own, others;
    static long long before, others_before;
    static long is_there;
    static pthread_condattr_t attributes;

    BEGIN(processor_time);
    is_there = sysconf(_SC_THREAD_CPUTIME) == 200809;
    IS(sysconf(_SC_CPUTIME), -1);
    ROW(pthread_getcpuclockid(NULL, &own), ESRCH, EPERM);
    ROW(pthread_getcpuclockid(first, &own), is_there ? 0 : ENOTSUP, EPERM);
    ROW(failed(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)), is_there ? 0 : EINVAL, is_there ? 0 : EINVAL);
    ROW(failed(clock_getres(CLOCK_THREAD_CPUTIME_ID, &time)), is_there ? 0 : EINVAL, is_there ? 0 : EINVAL);
    ROW(failed(clock_settime(CLOCK_THREAD_CPUTIME_ID, &time)), is_there ? EPERM : EINVAL, is_there ? EPERM : EINVAL);
    ROW(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &time, NULL), EINVAL, EPERM);
    ROW(failed(timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer)), is_there ? 0 : EINVAL, EPERM);
    ROW(failed(clock_gettime(17000, &time)), EINVAL, EINVAL);
    IS(pthread_condattr_init(&attributes), 0);
    IS(pthread_condattr_setclock(&attributes, CLOCK_THREAD_CPUTIME_ID), EINVAL);
    if (!is_there) {
        return;
    }
    IS(pthread_getcpuclockid(first, NULL), EINVAL);
    /* Who sleeps uses none; who computes all that there is. */
    before = on(own);
    usleep(10000);
    IS(on(own) - before < 1 * MS, 1);
    before = on(CLOCK_THREAD_CPUTIME_ID);
    compute_for(5 * MS);
    IS(on(own) - before >= 5 * MS && on(own) - before < 6 * MS, 1);
    /* A less urgent one has what others leave. */
    computes = 1;
    start(compute_until_told, NULL, 20);
    IS(pthread_getcpuclockid(helper, &others), 0);
    IS(others != own, 1);
    IS(on(others), 0);
    IS(clock_nanosleep(others, 0, &time, NULL), ENOTSUP);
    before = on(own);
    usleep(10000);
    IS(on(others) > 9 * MS && on(others) <= 11 * MS, 1);
    IS(on(own) - before < 1 * MS, 1);
    others_before = on(others);
    compute_for(5 * MS);
    IS(on(others), others_before);
    /* A timer of it is due by that, and late by a tick at most. */
    mask(SIG_UNBLOCK, SIGRTMIN);
    handle(SIGRTMIN, 0, 0);
    spec = every(5 * MS, 0);
    before = on(own);
    IS(timer_settime(timer, 0, &spec, NULL), 0);
    usleep(20000);
    IS(seen, 0);
    IS(timer_gettime(timer, &spec), 0);
    IS(spec.it_value.tv_nsec > 4 * MS && spec.it_value.tv_nsec < 5 * MS, 1);
    while (seen == 0 && on(own) - before < 20 * MS) {
        sched_yield();
    }
    IS(on(own) - before >= 5 * MS && on(own) - before < 7 * MS, 1);
    IS(timer_delete(timer), 0);
    /* One of another thread's, each interval. */
    IS(timer_create(others, &event, &timer), 0);
    spec = every(3 * MS, 3 * MS);
    seen = 0;
    IS(timer_settime(timer, 0, &spec, NULL), 0);
    compute_for(10 * MS);
    IS(seen, 0);
    before = now();
    while (seen < 3) {
        usleep(20000);
    }
    IS(now() - before >= 9 * MS && now() - before < 15 * MS, 1);
    computes = 0;
    joined();
    IS(failed(clock_gettime(others, &time)), EINVAL);
    IS(failed(timer_settime(timer, 0, &spec, NULL)), EINVAL);
    IS(timer_gettime(timer, &spec), 0);
    IS(spec.it_value.tv_sec + spec.it_value.tv_nsec, 0);
    IS(timer_delete(timer), 0);
    END;
}

int main(void)
{
    TAKTOS_INTERRUPT_ENABLE(SPARE);
    first = pthread_self();
    struct sched_param parameters = { .sched_priority = 24 };
    IS(pthread_setschedparam(first, SCHED_FIFO, &parameters), 0);
    sets(0);
    actions(0);
    nesting();
    waits();
    waits_that_go_on();
    taking(0);
    timers(0);
    notices();
    processor_time(0);
    report();
    return 1;
}
