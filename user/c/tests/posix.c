/* POSIX threads: what each call gives back in a thread and in a handler, and what programs rely on beside: order, turns, inheritance, ends.
 * Owns: the cases. Must never know: the board, but for an interrupt that no device has. */
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#if __has_include(<_newlib_version.h>)
#include <fcntl.h>
#include <stdlib.h>
#include <sys/times.h>
int posix_memalign(void **memory, size_t alignment, size_t size);
#endif
#include <time.h>
#include <unistd.h>

#include "check.h"

#define IS(expression, expected) compare(#expression, "", (long)(expression), (long)(expected))
#define MS 1000000L
#define SECOND 1000000000L

static pthread_t helper;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static volatile int seen;
static int order[8], places;

static void note(int what)
{
    if (places < 8) {
        order[places++] = what;
    }
}

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

    IS(pthread_attr_init(&attributes), 0);
    IS(pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED), 0);
    IS(pthread_attr_setschedpolicy(&attributes, SCHED_FIFO), 0);
    IS(pthread_attr_setschedparam(&attributes, &parameters), 0);
    IS(pthread_create(&helper, &attributes, code, argument), 0);
    IS(pthread_attr_destroy(&attributes), 0);
}

static void *joined(void)
{
    void *result = NULL;

    IS(pthread_join(helper, &result), 0);
    return result;
}

static void *give_back(void *argument)
{
    seen++;
    return argument;
}

static void *exit_at_once(void *argument)
{
    pthread_exit(argument);
}

static void *sleep_for_ever(void *argument)
{
    for (;;) {
        sleep(1000);
    }
    return argument;
}

static void threads(int row)
{
    static unsigned long long stack[512];
    static pthread_t self;
    static pthread_attr_t attributes;
    static struct timespec soon;
    static void *place = NULL;
    static size_t size = 0;

    BEGIN(threads);
    self = pthread_self();
    ROW(pthread_create(NULL, NULL, give_back, NULL), EINVAL, EPERM);
    ROW(pthread_create(&helper, NULL, NULL, NULL), EINVAL, EPERM);
    ROW(pthread_equal(self, pthread_self()), 1, 1);
    ROW(pthread_equal(self, NULL), 0, 0);
    ROW(pthread_join(NULL, NULL), ESRCH, EPERM);
    ROW(pthread_join(self, NULL), EDEADLK, EPERM);
    ROW(pthread_detach(NULL), ESRCH, EPERM);
    ROW(pthread_cancel(NULL), ESRCH, EPERM);

    seen = 0;
    start(give_back, order, 30);
    IS(seen, 1);
    IS(joined(), order);
    start(exit_at_once, &mutex, 20);
    IS(pthread_tryjoin_np(helper, NULL), EBUSY);
    IS(joined(), &mutex);

    start(sleep_for_ever, NULL, 30);
    soon = in(CLOCK_REALTIME, 5 * MS);
    IS(pthread_timedjoin_np(helper, NULL, &soon), ETIMEDOUT);
    IS(pthread_detach(helper), 0);
    ROW(pthread_detach(helper), EINVAL, EPERM);
    ROW(pthread_join(helper, NULL), EINVAL, EPERM);
    IS(pthread_cancel(helper), 0);

    IS(pthread_attr_init(&attributes), 0);
    IS(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED), 0);
    IS(pthread_attr_setstack(&attributes, stack, sizeof stack), 0);
    IS(pthread_attr_getstack(&attributes, &place, &size), 0);
    IS(place, stack);
    IS(size, sizeof stack);
    seen = 0;
    IS(pthread_create(&helper, &attributes, sleep_for_ever, NULL), 0);
    IS(pthread_getattr_np(helper, &attributes), 0);
    IS(pthread_attr_getstack(&attributes, &place, &size), 0);
    IS(place, stack);
    IS(size, sizeof stack);
    IS(pthread_attr_setstack(&attributes, stack, sizeof stack), 0);
    IS(pthread_cancel(helper), 0);
    IS(pthread_getattr_np(NULL, &attributes), ESRCH);
    usleep(5000);
    IS(pthread_create(&helper, &attributes, give_back, NULL), 0);
    usleep(2000);
    IS(seen, 1);
    IS(pthread_attr_destroy(&attributes), 0);
    IS(pthread_create(&helper, &attributes, give_back, NULL), EINVAL);
    END;
}

static void *note_it(void *unused)
{
    (void)unused;
    seen = 1;
    return NULL;
}

/* Calls that programs use besides: orders of bytes; with a C library, memory at a multiple, and calls for files and processes. */
static void the_rest(void)
{
    IS(BYTE_ORDER, LITTLE_ENDIAN);
    IS(htobe16(0x1122), 0x2211);
    IS(be32toh(0x11223344) == 0x44332211, 1);
    IS(htole64(5) == 5 && be64toh(1) == 1ULL << 56, 1);
#if __has_include(<_newlib_version.h>)
    void *memory = NULL;

    IS(posix_memalign(&memory, 3, 8), EINVAL);
    IS(posix_memalign(&memory, 2, 8), EINVAL);
    IS(posix_memalign(&memory, 64, 40), 0);
    IS((uintptr_t)memory % 64, 0);
    free(memory);
    IS(open("/none", 0), -1);
    IS(unlink("/none"), -1);
    IS(link("/none", "/one"), -1);
    IS(times(NULL), -1);
    IS(execve("/none", NULL, NULL), -1);
#endif
}

static void attributes_of_threads(void)
{
    static struct {
        uint64_t first;
        uint32_t second;
        char stack[PTHREAD_STACK_MIN + 2048];
    } odd;
    void *place = NULL;
    pthread_attr_t attributes;
    struct sched_param parameters = { .sched_priority = 0 };
    int value = -1;
    size_t size = 0;

    IS(pthread_attr_init(&attributes), 0);
    IS(pthread_attr_init(NULL), EINVAL);
    IS(pthread_attr_getdetachstate(&attributes, &value), 0);
    IS(value, PTHREAD_CREATE_JOINABLE);
    IS(pthread_attr_setdetachstate(&attributes, 7), EINVAL);
    IS(pthread_attr_getinheritsched(&attributes, &value), 0);
    IS(value, PTHREAD_INHERIT_SCHED);
    IS(pthread_attr_setinheritsched(&attributes, 7), EINVAL);
    IS(pthread_attr_setschedpolicy(&attributes, 7), EINVAL);
    IS(pthread_attr_setschedpolicy(&attributes, SCHED_RR), 0);
    IS(pthread_attr_getschedpolicy(&attributes, &value), 0);
    IS(value, SCHED_RR);
    IS(pthread_attr_setschedparam(&attributes, &parameters), EINVAL);
    parameters.sched_priority = 57;
    IS(pthread_attr_setschedparam(&attributes, &parameters), EINVAL);
    parameters.sched_priority = 56;
    IS(pthread_attr_setschedparam(&attributes, &parameters), 0);
    parameters.sched_priority = 0;
    IS(pthread_attr_getschedparam(&attributes, &parameters), 0);
    IS(parameters.sched_priority, 56);
    IS(pthread_attr_setscope(&attributes, PTHREAD_SCOPE_PROCESS), ENOTSUP);
    IS(pthread_attr_setscope(&attributes, 7), EINVAL);
    IS(pthread_attr_setscope(&attributes, PTHREAD_SCOPE_SYSTEM), 0);
    IS(pthread_attr_getscope(&attributes, &value), 0);
    IS(value, PTHREAD_SCOPE_SYSTEM);
    IS(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN - 1), EINVAL);
    IS(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN), 0);
    IS(pthread_attr_getstacksize(&attributes, &size), 0);
    IS(size, PTHREAD_STACK_MIN);
    IS(pthread_attr_setstack(&attributes, NULL, 4096), EINVAL);
    /* Within what is given, from a multiple of 8 to one. */
    IS(pthread_attr_setstack(&attributes, odd.stack, sizeof odd.stack), 0);
    IS(pthread_attr_getstack(&attributes, &place, &size), 0);
    IS((uintptr_t)place % 8, 0);
    IS((char *)place - odd.stack, 4);
    IS(size, sizeof odd.stack - 8);
    seen = 0;
    IS(pthread_create(&helper, &attributes, note_it, NULL), 0);
    IS(pthread_join(helper, NULL), 0);
    IS(seen, 1);
    IS(pthread_attr_setguardsize(&attributes, 64), 0);
    IS(pthread_attr_getguardsize(&attributes, &size), 0);
    IS(size, 64);
    IS(pthread_attr_destroy(&attributes), 0);
    IS(pthread_attr_destroy(&attributes), EINVAL);
    IS(pthread_attr_getdetachstate(&attributes, &value), EINVAL);
}

static void scheduling(int row)
{
    static struct sched_param parameters = { .sched_priority = 25 };
    static struct timespec turn;
    static pthread_attr_t attributes;
    static int policy = -1;

    BEGIN(scheduling);
    IS(sched_get_priority_min(SCHED_FIFO), 1);
    IS(sched_get_priority_max(SCHED_FIFO), 56);
    IS(failed(sched_get_priority_max(7)), EINVAL);
    IS(failed(sched_get_priority_min(-1)), EINVAL);
    /* There are no sporadic servers. */
    IS(failed(sched_get_priority_min(SCHED_SPORADIC)), EINVAL);
    IS(failed(sched_setscheduler(0, SCHED_SPORADIC, &parameters)), ENOTSUP);
    ROW(pthread_setschedparam(pthread_self(), SCHED_SPORADIC, &parameters), ENOTSUP, EPERM);
    IS(pthread_attr_init(&attributes), 0);
    IS(pthread_attr_setschedpolicy(&attributes, SCHED_SPORADIC), ENOTSUP);
    IS(sched_rr_get_interval(0, &turn), 0);
    IS(failed(sched_rr_get_interval(77, &turn)), ESRCH);
    IS(turn.tv_nsec, 10 * MS);
    IS(sched_yield(), 0);
    IS(sysconf(_SC_THREAD_KEYS_MAX), PTHREAD_KEYS_MAX);
    IS(sysconf(_SC_THREAD_STACK_MIN), PTHREAD_STACK_MIN);
    IS(sysconf(_SC_CLK_TCK), 1000);
    IS(sysconf(_SC_REALTIME_SIGNALS), 200809);
    IS(sysconf(_SC_PRIORITY_SCHEDULING), 200809);
    IS(sysconf(_SC_RTSIG_MAX), RTSIG_MAX);
    IS(sysconf(_SC_DELAYTIMER_MAX), DELAYTIMER_MAX);
    errno = 0;
    IS(failed(sysconf(_SC_MAPPED_FILES)), 0);
    IS(failed(sysconf(_SC_SPORADIC_SERVER)), 0);
    IS(failed(sysconf(9999)), EINVAL);
    IS(pthread_atfork(NULL, NULL, NULL), 0);
    IS(sched_getscheduler(0), SCHED_OTHER);
    IS(failed(sched_getscheduler(77)), ESRCH);
    IS(sched_setscheduler(0, SCHED_FIFO, &parameters), SCHED_OTHER);
    parameters.sched_priority = 0;
    IS(sched_getparam(0, &parameters), 0);
    IS(parameters.sched_priority, 25);
    IS(failed(sched_getparam(77, &parameters)), ESRCH);
    parameters.sched_priority = 57;
    IS(failed(sched_setparam(0, &parameters)), EINVAL);
    IS(failed(sched_setscheduler(0, 9, &parameters)), EINVAL);
    parameters.sched_priority = 25;
    IS(sched_setparam(0, &parameters), 0);
    ROW(pthread_setschedprio(pthread_self(), 0), EINVAL, EPERM);
    ROW(pthread_setschedprio(NULL, 3), ESRCH, EPERM);
    ROW(pthread_setschedparam(NULL, SCHED_FIFO, &parameters), ESRCH, EPERM);
    ROW(pthread_setschedparam(pthread_self(), 9, &parameters), EINVAL, EPERM);
    IS(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters), 0);
    parameters.sched_priority = 0;
    IS(pthread_getschedparam(pthread_self(), &policy, &parameters), 0);
    IS(policy, SCHED_FIFO);
    IS(parameters.sched_priority, 25);
    IS(pthread_setschedprio(pthread_self(), 24), 0);
    IS(pthread_getschedparam(NULL, &policy, &parameters), ESRCH);
    END;
}

static volatile int counts[2], stop;

static void *count(void *number)
{
    while (!stop) {
        counts[(intptr_t)number]++;
    }
    return NULL;
}

/* Takes a quarter of the processor, at intervals of less than half a turn. */
static void *preempt(void *unused)
{
    while (!stop) {
        long long end;

        usleep(1500);
        for (end = now() + 500000; now() < end;) {
        }
    }
    return unused;
}

/* Two threads of one priority compute for so many microseconds: the hundredths of it that the first one had. */
static int take_turns(int policy, int microseconds)
{
    pthread_t threads[2];
    pthread_attr_t attributes;
    struct sched_param parameters = { .sched_priority = 20 };
    int share;

    stop = counts[0] = counts[1] = 0;
    IS(pthread_attr_init(&attributes), 0);
    IS(pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED), 0);
    IS(pthread_attr_setschedpolicy(&attributes, policy), 0);
    IS(pthread_attr_setschedparam(&attributes, &parameters), 0);
    for (int i = 0; i < 2; i++) {
        IS(pthread_create(&threads[i], &attributes, count, (void *)(intptr_t)i), 0);
    }
    usleep(microseconds);
    IS(counts[0] > 0, 1);
    share = counts[0] / (counts[0] / 100 + counts[1] / 100);
    stop = 1;
    IS(pthread_join(threads[0], NULL), 0);
    IS(pthread_join(threads[1], NULL), 0);
    return share;
}

/* The rest of a turn stays with a thread that is preempted. */
static void turns_beside_a_more_urgent_one(int policy)
{
    int share;

    stop = 0;
    start(preempt, NULL, 30);
    share = take_turns(policy, 400000);
    IS(joined() == NULL, 1);
    IS(share >= 45 && share <= 55 ? 50 : share, 50);
}

static void turns(void)
{
    IS(take_turns(SCHED_FIFO, 35000), 100);
    IS(take_turns(SCHED_OTHER, 35000) < 100, 1);
    IS(take_turns(SCHED_RR, 35000) < 100, 1);
    /* Also where others do. */
    IS(take_turns(SCHED_FIFO, 35000), 100);
    turns_beside_a_more_urgent_one(SCHED_RR);
    turns_beside_a_more_urgent_one(SCHED_OTHER);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void call_once(void)
{
    seen++;
    usleep(3000);
}

static void *call_it(void *argument)
{
    IS(pthread_once(&once, call_once), 0);
    IS(seen, 1);
    return argument;
}

static pthread_key_t key, other_key;

static void destroy(void *value)
{
    seen += *(int *)value;
    /* Again, as long as the standard says. */
    pthread_setspecific(key, value);
}

static void *set_value(void *argument)
{
    IS(pthread_getspecific(key), NULL);
    IS(pthread_setspecific(key, argument), 0);
    IS(pthread_getspecific(key), argument);
    return NULL;
}

static void values(int row)
{
    static int one = 1;
    static pthread_key_t all[PTHREAD_KEYS_MAX], more;
    static int count = 0;

    BEGIN(values);
    seen = 0;
    start(call_it, NULL, 30);
    call_it(NULL);
    joined();
    IS(pthread_once(NULL, call_once), EINVAL);

    ROW(pthread_key_create(&key, destroy), 0, EPERM);
    IS(pthread_setspecific(key, NULL), 0);
    seen = 0;
    start(set_value, &one, 30);
    joined();
    IS(seen, PTHREAD_DESTRUCTOR_ITERATIONS);
    IS(pthread_getspecific(key), NULL);
    IS(pthread_setspecific(key, &one), 0);
    IS(pthread_key_delete(key), 0);
    IS(pthread_key_delete(key), EINVAL);
    IS(pthread_setspecific(key, &one), EINVAL);
    IS(pthread_getspecific(key), NULL);
    /* A new key that has the place of the old one has nothing of it. */
    IS(pthread_key_create(&other_key, NULL), 0);
    IS(pthread_getspecific(other_key), NULL);
    IS(pthread_key_delete(other_key), 0);
    while (count < PTHREAD_KEYS_MAX && pthread_key_create(&all[count], NULL) == 0) {
        count++;
    }
    IS(count, PTHREAD_KEYS_MAX);
    IS(pthread_key_create(&more, NULL), EAGAIN);
    while (count > 0) {
        pthread_key_delete(all[--count]);
    }
    END;
}

static void *lock_and_note(void *argument)
{
    IS(pthread_mutex_lock(&mutex), 0);
    note((int)(intptr_t)argument);
    IS(pthread_mutex_unlock(&mutex), 0);
    return NULL;
}

static void *lock_and_end(void *argument)
{
    IS(pthread_mutex_lock(argument), 0);
    return NULL;
}

static void *unlock_others(void *argument)
{
    IS(pthread_mutex_unlock(argument), EPERM);
    IS(pthread_mutex_trylock(argument), EBUSY);
    return NULL;
}

static void *lock_itself_twice(void *argument)
{
    struct timespec soon = in(CLOCK_REALTIME, 4 * MS);

    IS(pthread_mutex_lock(argument), 0);
    IS(pthread_mutex_timedlock(argument, &soon), ETIMEDOUT);
    IS(pthread_mutex_unlock(argument), 0);
    return NULL;
}

static void *lock_late(void *argument)
{
    struct timespec soon = in(CLOCK_REALTIME, 4 * MS);

    IS(pthread_mutex_timedlock(argument, &soon), ETIMEDOUT);
    return NULL;
}

static void *lock_for_a_while(void *argument)
{
    IS(pthread_mutex_lock(argument), 0);
    usleep(4000);
    IS(pthread_mutex_unlock(argument), 0);
    return NULL;
}

static void make(pthread_mutex_t *made, int type, int protocol, int robust)
{
    pthread_mutexattr_t attributes;

    IS(pthread_mutexattr_init(&attributes), 0);
    IS(pthread_mutexattr_settype(&attributes, type), 0);
    IS(pthread_mutexattr_setprotocol(&attributes, protocol), 0);
    IS(pthread_mutexattr_setprioceiling(&attributes, 40), 0);
    IS(pthread_mutexattr_setrobust(&attributes, robust), 0);
    IS(pthread_mutex_init(made, &attributes), 0);
    IS(pthread_mutexattr_destroy(&attributes), 0);
}

static void attributes_of_mutexes(void)
{
    pthread_mutexattr_t attributes;
    int value = -1;

    IS(pthread_mutexattr_init(&attributes), 0);
    IS(pthread_mutexattr_gettype(&attributes, &value), 0);
    IS(value, PTHREAD_MUTEX_DEFAULT);
    IS(pthread_mutexattr_settype(&attributes, 9), EINVAL);
    IS(pthread_mutexattr_getprotocol(&attributes, &value), 0);
    IS(value, PTHREAD_PRIO_NONE);
    IS(pthread_mutexattr_setprotocol(&attributes, 9), EINVAL);
    IS(pthread_mutexattr_setprioceiling(&attributes, 0), EINVAL);
    IS(pthread_mutexattr_setprioceiling(&attributes, 57), EINVAL);
    IS(pthread_mutexattr_getprioceiling(&attributes, &value), 0);
    IS(value, 56);
    IS(pthread_mutexattr_getrobust(&attributes, &value), 0);
    IS(value, PTHREAD_MUTEX_STALLED);
    IS(pthread_mutexattr_setrobust(&attributes, 9), EINVAL);
    IS(pthread_mutexattr_setpshared(&attributes, 9), EINVAL);
    IS(pthread_mutexattr_getpshared(&attributes, &value), 0);
    IS(value, PTHREAD_PROCESS_PRIVATE);
    IS(pthread_mutexattr_destroy(&attributes), 0);
    IS(pthread_mutexattr_destroy(&attributes), EINVAL);
    IS(pthread_mutex_init(&mutex, &attributes), EINVAL);
}

static void mutexes(int row)
{
    static pthread_mutex_t own;
    static struct timespec never = { .tv_sec = 0, .tv_nsec = SECOND };
    static long long begun;
    static int value = -1;

    BEGIN(mutexes);
    attributes_of_mutexes();
    ROW(pthread_mutex_unlock(&mutex), EPERM, EPERM);
    ROW(pthread_mutex_lock(NULL), EINVAL, EINVAL);
    IS(pthread_mutex_lock(&mutex), 0);
    ROW(pthread_mutex_trylock(&mutex), EBUSY, EPERM);
    IS(pthread_mutex_timedlock(&mutex, &never), EINVAL);
    IS(pthread_mutex_clocklock(&mutex, 99, &never), EINVAL);
    IS(pthread_mutex_destroy(&mutex), EBUSY);
    IS(pthread_mutex_consistent(&mutex), EINVAL);
    IS(pthread_mutex_getprioceiling(&mutex, &value), EINVAL);
    /* Handed over by priority, whoever came first. */
    places = 0;
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        start(lock_and_note, (void *)(intptr_t)(30 + i), 30 + i);
        threads[i] = helper;
    }
    IS(pthread_mutex_unlock(&mutex), 0);
    for (int i = 0; i < 3; i++) {
        IS(pthread_join(threads[i], NULL), 0);
        IS(order[i], 32 - i);
    }

    make(&own, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
    IS(pthread_mutex_lock(&own), 0);
    IS(pthread_mutex_lock(&own), EDEADLK);
    start(unlock_others, &own, 30);
    joined();
    IS(pthread_mutex_unlock(&own), 0);
    IS(pthread_mutex_unlock(&own), EPERM);
    IS(pthread_mutex_destroy(&own), 0);
    IS(pthread_mutex_destroy(&own), EINVAL);
    ROW(pthread_mutex_lock(&own), EINVAL, EINVAL);

    make(&own, PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
    IS(pthread_mutex_lock(&own), 0);
    IS(pthread_mutex_trylock(&own), 0);
    IS(pthread_mutex_unlock(&own), 0);
    IS(pthread_mutex_unlock(&own), 0);
    IS(pthread_mutex_unlock(&own), EPERM);
    IS(pthread_mutex_destroy(&own), 0);

    make(&own, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
    start(lock_itself_twice, &own, 30);
    joined();
    /* Who waits for a time only, and for who waits for it, is in no deadlock. */
    IS(pthread_mutex_lock(&own), 0);
    begun = now();
    start(lock_late, &own, 30);
    joined();
    IS(now() - begun >= 4 * MS && now() - begun < 5 * MS, 1);
    IS(pthread_mutex_unlock(&own), 0);
    start(lock_and_end, &own, 30);
    joined();
    IS(pthread_mutex_trylock(&own), EBUSY);

    make(&own, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_ROBUST);
    start(lock_and_end, &own, 30);
    joined();
    IS(pthread_mutex_lock(&own), EOWNERDEAD);
    IS(pthread_mutex_consistent(&own), 0);
    IS(pthread_mutex_consistent(&own), EINVAL);
    IS(pthread_mutex_unlock(&own), 0);
    IS(pthread_mutex_lock(&own), 0);
    IS(pthread_mutex_unlock(&own), 0);
    start(lock_and_end, &own, 30);
    joined();
    IS(pthread_mutex_trylock(&own), EOWNERDEAD);
    IS(pthread_mutex_unlock(&own), 0);
    IS(pthread_mutex_lock(&own), ENOTRECOVERABLE);
    IS(pthread_mutex_destroy(&own), 0);

    make(&own, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_PROTECT, PTHREAD_MUTEX_STALLED);
    IS(pthread_mutex_getprioceiling(&own, &value), 0);
    IS(value, 40);
    IS(pthread_mutex_setprioceiling(&own, 57, &value), EINVAL);
    IS(pthread_mutex_setprioceiling(&own, 20, &value), 0);
    IS(value, 40);
    IS(pthread_mutex_lock(&own), EINVAL);
    IS(pthread_mutex_setprioceiling(&own, 30, NULL), 0);
    IS(pthread_mutex_lock(&own), 0);
    IS(pthread_mutex_setprioceiling(&own, 35, NULL), EDEADLK);
    /* Nobody below the ceiling runs. */
    seen = 0;
    start(give_back, NULL, 29);
    IS(seen, 0);
    IS(pthread_mutex_unlock(&own), 0);
    IS(seen, 1);
    joined();
    start(lock_for_a_while, &own, 29);
    begun = now();
    IS(pthread_mutex_setprioceiling(&own, 35, &value), 0);
    IS(value, 30);
    IS(now() - begun >= 3 * MS && now() - begun < 6 * MS, 1);
    IS(pthread_mutex_getprioceiling(&own, &value), 0);
    IS(value, 35);
    joined();
    IS(pthread_mutex_destroy(&own), 0);
    END;
}

static void *await(void *argument)
{
    IS(pthread_mutex_lock(&mutex), 0);
    IS(pthread_cond_wait(&condition, &mutex), 0);
    note((int)(intptr_t)argument);
    IS(pthread_mutex_unlock(&mutex), 0);
    return NULL;
}

static void conditions(int row)
{
    static pthread_cond_t own;
    static pthread_condattr_t attributes;
    static struct timespec time, never = { .tv_sec = 0, .tv_nsec = -1 };
    static pthread_t threads[3];
    static long long begun;
    static clockid_t clock = 99;
    static int value = -1;

    BEGIN(conditions);
    IS(pthread_condattr_init(&attributes), 0);
    IS(pthread_condattr_getclock(&attributes, &clock), 0);
    IS(clock, CLOCK_REALTIME);
    IS(pthread_condattr_setclock(&attributes, 99), EINVAL);
    IS(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC), 0);
    IS(pthread_condattr_setpshared(&attributes, 9), EINVAL);
    IS(pthread_condattr_getpshared(&attributes, &value), 0);
    IS(value, PTHREAD_PROCESS_PRIVATE);
    IS(pthread_cond_init(&own, &attributes), 0);
    IS(pthread_condattr_destroy(&attributes), 0);
    IS(pthread_cond_init(&own, &attributes), EINVAL);

    ROW(pthread_cond_signal(&condition), 0, 0);
    ROW(pthread_cond_broadcast(&condition), 0, 0);
    ROW(pthread_cond_wait(&condition, &mutex), EPERM, EPERM);
    ROW(pthread_cond_signal(NULL), EINVAL, EINVAL);
    IS(pthread_mutex_lock(&mutex), 0);
    begun = now();
    time = in(CLOCK_MONOTONIC, 5 * MS);
    IS(pthread_cond_timedwait(&own, &mutex, &time), ETIMEDOUT);
    IS(now() - begun >= 5 * MS && now() - begun < 6 * MS, 1);
    time = in(CLOCK_REALTIME, 5 * MS);
    IS(pthread_cond_timedwait(&condition, &mutex, &time), ETIMEDOUT);
    IS(pthread_cond_timedwait(&condition, &mutex, &time), ETIMEDOUT);
    IS(pthread_cond_clockwait(&condition, &mutex, 99, &time), EINVAL);
    IS(pthread_cond_timedwait(&condition, &mutex, &never), EINVAL);
    IS(pthread_mutex_unlock(&mutex), 0);

    places = 0;
    for (int i = 0; i < 3; i++) {
        start(await, (void *)(intptr_t)i, 30 + i);
        threads[i] = helper;
    }
    IS(pthread_cond_destroy(&condition), EBUSY);
    IS(pthread_cond_signal(&condition), 0);
    IS(places, 1);
    IS(order[0], 2);
    IS(pthread_cond_broadcast(&condition), 0);
    for (int i = 0; i < 3; i++) {
        IS(pthread_join(threads[i], NULL), 0);
    }
    IS(order[1], 1);
    IS(order[2], 0);
    IS(pthread_cond_destroy(&own), 0);

    /* One that all were signalled for can be destroyed at once, before they have come back. */
    for (int i = 0; i < 3; i++) {
        start(await, (void *)(intptr_t)i, 20);
        threads[i] = helper;
    }
    usleep(1000);
    IS(pthread_cond_broadcast(&condition), 0);
    IS(pthread_cond_destroy(&condition), 0);
    for (int i = 0; i < 3; i++) {
        IS(pthread_join(threads[i], NULL), 0);
    }
    IS(pthread_cond_signal(&condition), EINVAL);
    IS(pthread_cond_init(&condition, NULL), 0);
    IS(pthread_cond_destroy(&own), EINVAL);
    IS(pthread_cond_signal(&own), EINVAL);
    END;
}

static void *take(void *argument)
{
    IS(sem_wait(&semaphore), 0);
    seen++;
    return argument;
}

static void semaphores(int row)
{
    static long long begun;
    static struct timespec time, never = { .tv_sec = 0, .tv_nsec = SECOND };
    static int value = -1;

    BEGIN(semaphores);
    IS(failed(sem_init(&semaphore, 0, SEM_VALUE_MAX + 1U)), EINVAL);
    IS(failed(sem_post(&semaphore)), EINVAL);
    IS(sem_init(&semaphore, 0, 1), 0);
    ROW(sem_post(&semaphore), 0, 0);
    IS(sem_getvalue(&semaphore, &value), 0);
    IS(value, 3);
    ROW(sem_trywait(&semaphore), 0, 0);
    ROW(failed(sem_wait(&semaphore)), 0, EPERM);
    ROW(failed(sem_trywait(&semaphore)), EAGAIN, EAGAIN);
    time = in(CLOCK_REALTIME, 3 * MS);
    begun = now();
    IS(failed(sem_timedwait(&semaphore, &time)), ETIMEDOUT);
    IS(now() - begun >= 2 * MS && now() - begun < 4 * MS, 1);
    time = in(CLOCK_MONOTONIC, 3 * MS);
    IS(failed(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &time)), ETIMEDOUT);
    IS(failed(sem_timedwait(&semaphore, &never)), EINVAL);
    IS(sem_post(&semaphore), 0);
    IS(sem_timedwait(&semaphore, &never), 0);
    seen = 0;
    start(take, NULL, 30);
    IS(seen, 0);
    IS(sem_post(&semaphore), 0);
    IS(seen, 1);
    joined();
    IS(sem_destroy(&semaphore), 0);
    IS(failed(sem_destroy(&semaphore)), EINVAL);
    IS(sem_init(&semaphore, 0, SEM_VALUE_MAX), 0);
    IS(failed(sem_post(&semaphore)), EOVERFLOW);
    IS(sem_init(&semaphore, 0, 0), 0);
    END;
}

static void clocks(int row)
{
    static long long begun;
    static struct timespec span = { .tv_sec = 0, .tv_nsec = 2 * MS }, now_by_day;
    static struct timespec time = { .tv_sec = 1000000000, .tv_nsec = 5 };
    static struct timespec none = { .tv_sec = 0, .tv_nsec = SECOND }, before = { .tv_sec = -1, .tv_nsec = 0 };

    BEGIN(clocks);
    IS(clock_gettime(CLOCK_REALTIME, &now_by_day), 0);
    IS(now_by_day.tv_sec >= 1767225600 && now_by_day.tv_sec < 1767225700, 1);
    IS(failed(clock_gettime(99, &time)), EINVAL);
    IS(failed(clock_settime(CLOCK_MONOTONIC, &time)), EINVAL);
    IS(failed(clock_settime(CLOCK_REALTIME, &none)), EINVAL);
    IS(clock_settime(CLOCK_REALTIME, &time), 0);
    IS(clock_gettime(CLOCK_REALTIME, &time), 0);
    IS(time.tv_sec, 1000000000);
    IS(time.tv_nsec >= 5 && time.tv_nsec < MS, 1);
    IS(clock_getres(CLOCK_MONOTONIC, &time), 0);
    IS(time.tv_sec * SECOND + time.tv_nsec, 1);
    IS(clock_getres(CLOCK_REALTIME, NULL), 0);
    IS(failed(clock_getres(99, &time)), EINVAL);
    begun = now();
    IS(nanosleep(&span, NULL), 0);
    IS(now() - begun >= 2 * MS && now() - begun < 3 * MS, 1);
    time = in(CLOCK_REALTIME, 3 * MS);
    IS(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, NULL), 0);
    IS(now() - begun >= 5 * MS && now() - begun < 6 * MS, 1);
    IS(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, NULL), 0);
    ROW(clock_nanosleep(99, 0, &span, NULL), EINVAL, EPERM);
    IS(clock_nanosleep(CLOCK_MONOTONIC, 0, &none, NULL), EINVAL);
    IS(clock_nanosleep(CLOCK_MONOTONIC, 0, &before, NULL), EINVAL);
    IS(failed(nanosleep(&none, NULL)), EINVAL);
    IS(sleep(0), 0);
    IS(usleep(1000), 0);
    END;
}

static void *errno_is_its_own(void *argument)
{
    IS(errno, 0);
    errno = 7;
    usleep(2000);
    IS(errno, 7);
    return argument;
}

static void clean(void *argument)
{
    note((int)(intptr_t)argument);
}

/* Waits in one of the ways that a thread can be cancelled in. */
static void *be_cancelled(void *argument)
{
    struct timespec late = in(CLOCK_REALTIME, 1000 * MS);

    pthread_cleanup_push(clean, (void *)1);
    pthread_cleanup_push(clean, (void *)2);
    switch ((int)(intptr_t)argument) {
    case 0:
        sleep(1000);
        break;
    case 1:
        sem_wait(&semaphore);
        break;
    case 2:
        sem_timedwait(&semaphore, &late);
        break;
    case 3:
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&condition, &mutex);
        break;
    case 4:
        pthread_mutex_lock(&mutex);
        pthread_cond_timedwait(&condition, &mutex, &late);
        break;
    case 5:
        pthread_join(*(pthread_t *)&order[4], NULL);
        break;
    default:
        for (;;) {
            pthread_testcancel();
            sched_yield();
        }
    }
    note(9);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;

/* Waits where only asynchronous cancellation ends a thread. */
static void *be_cancelled_anywhere(void *argument)
{
    IS(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL), 0);
    pthread_cleanup_push(clean, (void *)1);
    switch ((int)(intptr_t)argument) {
    case 0:
        pthread_mutex_lock(&mutex);
        break;
    case 1:
        pthread_rwlock_rdlock(&lock);
        break;
    case 2:
        pthread_rwlock_wrlock(&lock);
        break;
    case 3:
        pthread_barrier_wait(&barrier);
        break;
    default:
        pthread_cancel(pthread_self());
    }
    note(9);
    pthread_cleanup_pop(0);
    return NULL;
}

static void cancellation_anywhere(void)
{
    IS(pthread_mutex_lock(&mutex), 0);
    IS(pthread_rwlock_wrlock(&lock), 0);
    IS(pthread_barrier_init(&barrier, NULL, 2), 0);
    for (int way = 0; way < 5; way++) {
        places = 0;
        start(be_cancelled_anywhere, (void *)(intptr_t)way, 30);
        IS(places, way == 4);
        if (way < 4) {
            IS(pthread_cancel(helper), 0);
        }
        IS(joined(), PTHREAD_CANCELED);
        IS(places, 1);
        IS(order[0], 1);
    }
    /* They have left nothing behind. */
    IS(pthread_mutex_unlock(&mutex), 0);
    IS(pthread_rwlock_unlock(&lock), 0);
    IS(pthread_rwlock_rdlock(&lock), 0);
    IS(pthread_rwlock_unlock(&lock), 0);
    IS(pthread_barrier_destroy(&barrier), 0);
}

static void *refuse(void *argument)
{
    int old = -1;

    IS(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old), 0);
    IS(old, PTHREAD_CANCEL_ENABLE);
    IS(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old), 0);
    IS(old, PTHREAD_CANCEL_DEFERRED);
    IS(pthread_setcancelstate(9, &old), EINVAL);
    IS(pthread_setcanceltype(9, NULL), EINVAL);
    usleep(3000);
    note(3);
    IS(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL), 0);
    pthread_testcancel();
    note(4);
    return argument;
}

static void cancellation(void)
{
    IS(sem_init(&semaphore, 0, 0), 0);
    for (int way = 0; way < 7; way++) {
        places = 0;
        if (way == 5) {
            start(sleep_for_ever, NULL, 20);
            *(pthread_t *)&order[4] = helper;
        }
        pthread_t sleeper = helper;
        start(be_cancelled, (void *)(intptr_t)way, way == 6 ? 24 : 30);
        IS(pthread_cancel(helper), 0);
        IS(joined(), PTHREAD_CANCELED);
        IS(places, 2);
        IS(order[0], 2);
        IS(order[1], 1);
        if (way == 3 || way == 4) {
            /* It had the mutex when its handlers were called. It stays locked, so another one is made. */
            IS(pthread_mutex_trylock(&mutex), EBUSY);
            IS(pthread_mutex_init(&mutex, NULL), 0);
        }
        if (way == 5) {
            IS(pthread_cancel(sleeper), 0);
            IS(pthread_join(sleeper, NULL), 0);
        }
    }
    places = 0;
    start(refuse, NULL, 30);
    IS(pthread_cancel(helper), 0);
    IS(joined(), PTHREAD_CANCELED);
    IS(places, 1);
    pthread_cleanup_push(clean, (void *)5);
    pthread_cleanup_pop(1);
    IS(places, 2);
    IS(order[1], 5);
}

static void *read_it(void *argument)
{
    IS(pthread_rwlock_rdlock(&lock), 0);
    note((int)(intptr_t)argument);
    IS(pthread_rwlock_unlock(&lock), 0);
    return NULL;
}

static void *write_it(void *argument)
{
    IS(pthread_rwlock_wrlock(&lock), 0);
    note((int)(intptr_t)argument);
    IS(pthread_rwlock_unlock(&lock), 0);
    return NULL;
}

static void *give_up_writing(void *argument)
{
    struct timespec soon = in(CLOCK_REALTIME, 3 * MS);

    IS(pthread_rwlock_timedwrlock(&lock, &soon), ETIMEDOUT);
    note(7);
    return argument;
}

static void locks(int row)
{
    static struct timespec soon, never = { .tv_sec = 0, .tv_nsec = -1 };
    static pthread_t writer, reader;

    BEGIN(locks);
    IS(pthread_rwlock_rdlock(&lock), 0);
    IS(pthread_rwlock_tryrdlock(&lock), 0);
    IS(pthread_rwlock_trywrlock(&lock), EBUSY);
    soon = in(CLOCK_REALTIME, 2 * MS);
    IS(pthread_rwlock_timedwrlock(&lock, &soon), ETIMEDOUT);
    IS(pthread_rwlock_timedwrlock(&lock, &never), EINVAL);
    IS(pthread_rwlock_timedrdlock(&lock, &never), 0);
    IS(pthread_rwlock_unlock(&lock), 0);
    IS(pthread_rwlock_unlock(&lock), 0);
    IS(pthread_rwlock_destroy(&lock), EBUSY);
    /* A reader waits behind a writer that waits and is its equal; a more urgent one does not. */
    places = 0;
    start(write_it, (void *)1, 30);
    writer = helper;
    start(read_it, (void *)2, 30);
    reader = helper;
    IS(places, 0);
    start(read_it, (void *)3, 31);
    joined();
    IS(places, 1);
    IS(order[0], 3);
    IS(pthread_rwlock_tryrdlock(&lock), EBUSY);
    IS(pthread_rwlock_unlock(&lock), 0);
    IS(pthread_join(writer, NULL), 0);
    IS(pthread_join(reader, NULL), 0);
    IS(order[1], 1);
    IS(order[2], 2);
    /* The most urgent of those who wait is next, be it a reader. */
    places = 0;
    IS(pthread_rwlock_wrlock(&lock), 0);
    start(write_it, (void *)1, 30);
    writer = helper;
    start(read_it, (void *)2, 31);
    reader = helper;
    IS(pthread_rwlock_unlock(&lock), 0);
    IS(pthread_join(writer, NULL), 0);
    IS(pthread_join(reader, NULL), 0);
    IS(order[0], 2);
    IS(order[1], 1);
    ROW(pthread_rwlock_unlock(&lock), EINVAL, EPERM);

    IS(pthread_rwlock_wrlock(&lock), 0);
    IS(pthread_rwlock_wrlock(&lock), EDEADLK);
    IS(pthread_rwlock_rdlock(&lock), EDEADLK);
    IS(pthread_rwlock_tryrdlock(&lock), EBUSY);
    IS(pthread_rwlock_trywrlock(&lock), EBUSY);
    IS(pthread_rwlock_unlock(&lock), 0);

    /* A writer that gives up lets the readers behind it go on. */
    places = 0;
    IS(pthread_rwlock_rdlock(&lock), 0);
    start(give_up_writing, NULL, 30);
    writer = helper;
    start(read_it, (void *)2, 29);
    IS(places, 0);
    usleep(5000);
    IS(places, 2);
    IS(pthread_join(writer, NULL), 0);
    joined();
    IS(pthread_rwlock_unlock(&lock), 0);
    IS(pthread_rwlock_destroy(&lock), 0);
    IS(pthread_rwlock_rdlock(&lock), EINVAL);
    IS(pthread_rwlock_init(&lock, NULL), 0);
    ROW(pthread_rwlock_rdlock(&lock), 0, EPERM);
    IS(pthread_rwlock_unlock(&lock), 0);
    END;
}

static pthread_spinlock_t spin;

static void *arrive(void *argument)
{
    int told = pthread_barrier_wait(&barrier);

    IS(told == 0 || told == PTHREAD_BARRIER_SERIAL_THREAD, 1);
    seen += told == PTHREAD_BARRIER_SERIAL_THREAD;
    places++;
    return argument;
}

static void *spin_on_it(void *argument)
{
    IS(pthread_spin_trylock(&spin), EBUSY);
    IS(pthread_spin_unlock(&spin), EPERM);
    IS(pthread_spin_lock(&spin), 0);
    IS(pthread_spin_unlock(&spin), 0);
    return argument;
}

static void barriers(int row)
{
    static pthread_barrierattr_t attributes;
    static pthread_t threads[2];
    static int value = -1;

    BEGIN(barriers);
    IS(pthread_barrierattr_init(&attributes), 0);
    IS(pthread_barrierattr_setpshared(&attributes, 9), EINVAL);
    IS(pthread_barrierattr_getpshared(&attributes, &value), 0);
    IS(value, PTHREAD_PROCESS_PRIVATE);
    IS(pthread_barrier_init(&barrier, &attributes, 0), EINVAL);
    IS(pthread_barrier_init(&barrier, &attributes, 3), 0);
    IS(pthread_barrierattr_destroy(&attributes), 0);
    for (int round = 0; round < 2; round++) {
        seen = 0;
        places = 0;
        for (int i = 0; i < 2; i++) {
            start(arrive, NULL, 30 - i);
            threads[i] = helper;
        }
        IS(places, 0);
        IS(pthread_barrier_destroy(&barrier), EBUSY);
        arrive(NULL);
        IS(pthread_join(threads[0], NULL), 0);
        IS(pthread_join(threads[1], NULL), 0);
        IS(places, 3);
        IS(seen, 1);
    }
    /* One that all have come to can be destroyed at once: that waits until they have left. */
    for (int i = 0; i < 2; i++) {
        start(arrive, NULL, 20);
        threads[i] = helper;
    }
    usleep(1000);
    arrive(NULL);
    IS(pthread_barrier_destroy(&barrier), 0);
    IS(pthread_barrier_init(&barrier, NULL, 3), 0);
    IS(pthread_join(threads[0], NULL), 0);
    IS(pthread_join(threads[1], NULL), 0);
    ROW(pthread_barrier_wait(NULL), EINVAL, EINVAL);
    IS(pthread_barrier_destroy(&barrier), 0);
    IS(pthread_barrier_destroy(&barrier), EINVAL);

    IS(pthread_spin_init(&spin, 9), EINVAL);
    IS(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE), 0);
    IS(pthread_spin_lock(&spin), 0);
    IS(pthread_spin_lock(&spin), EDEADLK);
    start(spin_on_it, NULL, 30);
    IS(pthread_spin_destroy(&spin), EBUSY);
    IS(pthread_spin_unlock(&spin), 0);
    joined();
    IS(pthread_spin_destroy(&spin), 0);
    END;
}

#if defined(__arm__)
#include <stdlib.h>
#define TOO_LARGE "99999999999999999999"
static volatile char *block;

/* Another thread's error while this one looks at its own. */
static void *convert_another(void *argument)
{
    IS(errno, 0);
    IS(strtoul("17", NULL, 8), 15);
    IS(errno, 0);
    if (argument != NULL) {
        IS(strtol(argument, NULL, 10), LONG_MAX);
        IS(errno, ERANGE);
    }
    free((void *)block);
    return argument;
}

/* What the C library notes in a structure that all threads share is each one's own, too. */
static void errors_of_conversions(void)
{
    char *end;

    errno = 0;
    IS(strtol("12x", &end, 10), 12);
    IS(*end, 'x');
    IS(errno, 0);
    IS(strtol("-" TOO_LARGE, NULL, 10), LONG_MIN);
    IS(errno, ERANGE);
    block = malloc(100);
    start(convert_another, NULL, 30);
    joined();
    IS(errno, ERANGE);
    errno = 0;
    block = malloc(100);
    start(convert_another, TOO_LARGE, 30);
    joined();
    IS(errno, 0);
    IS(strtoul(TOO_LARGE, NULL, 10) == ULONG_MAX, 1);
    IS(errno, ERANGE);
    errno = 0;
    IS(strtoll(TOO_LARGE, NULL, 10) == LLONG_MAX, 1);
    IS(errno, ERANGE);
    errno = 0;
    IS(strtoull(TOO_LARGE TOO_LARGE, NULL, 10) == ULLONG_MAX, 1);
    IS(errno, ERANGE);
    errno = 0;
    IS(strtod("1.5", &end) == 1.5 && *end == '\0', 1);
    IS(errno, 0);
    IS(strtod("1e999", NULL) > 1e300, 1);
    IS(errno, ERANGE);
    errno = 0;
    IS(strtof("-1e99", NULL) < -1e38f, 1);
    IS(errno, ERANGE);
}

static volatile int turns_left;

/* Interrupts the other thread anywhere in the C library's allocation, and allocates itself. */
static void *allocate_often(void *argument)
{
    struct timespec little = { .tv_nsec = 50000 };

    for (turns_left = 60; turns_left > 0; turns_left--) {
        char *own = malloc(24 + turns_left);
        nanosleep(&little, NULL);
        own[0] = 1;
        free(own);
    }
    return argument;
}

/* The C library's memory: threads take it in turn, and where there is no more, errno says so. */
static void memory_that_fits(void)
{
    long long count = 0;

    start(allocate_often, NULL, 30);
    while (turns_left > 0) {
        char *own = malloc(40 + count % 50);
        char *other = realloc(malloc(16), 200);
        if (own == NULL || other == NULL) {
            break;
        }
        free(own);
        free(other);
        count++;
    }
    IS(count > 60, 1);
    joined();
    errno = 0;
    IS(malloc(1 << 30), NULL);
    IS(errno, ENOMEM);
}
#else
static void errors_of_conversions(void)
{
}

static void memory_that_fits(void)
{
}
#endif

static pthread_key_t last_key;

static void *use_and_exit(void *argument)
{
    IS(pthread_setspecific(last_key, (void *)7), 0);
    pthread_cleanup_push(clean, (void *)6);
    pthread_exit(argument);
    pthread_cleanup_pop(0);
}

/* The smallest stack has room for all that is called at a thread's end. */
static void at_the_smallest(void)
{
    pthread_attr_t attributes;

    places = 0;
    IS(pthread_key_create(&last_key, clean), 0);
    IS(pthread_attr_init(&attributes), 0);
    IS(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN), 0);
    IS(pthread_create(&helper, &attributes, use_and_exit, order), 0);
    IS(joined(), order);
    IS(places, 2);
    IS(order[0], 6);
    IS(order[1], 7);
    IS(pthread_key_delete(last_key), 0);
}

/* As many threads as fit, again and again: nothing is lost. */
static void all_that_fit(void)
{
    pthread_t threads[32];
    int first = -1;

    for (int round = 0; round < 3; round++) {
        int count = 0;
        while (count < 32 && pthread_create(&threads[count], NULL, give_back, NULL) == 0) {
            count++;
        }
        IS(count > 2, 1);
        first = first < 0 ? count : first;
        IS(count, first);
        while (count > 0) {
            IS(pthread_join(threads[--count], NULL), 0);
        }
    }
}

static void *end_the_program(void *argument)
{
    usleep(2000);
    report();
    return argument;
}

int main(void)
{
    TAKTOS_INTERRUPT_ENABLE(SPARE);
    threads(0);
    attributes_of_threads();
    the_rest();
    scheduling(0);
    turns();
    values(0);
    mutexes(0);
    conditions(0);
    semaphores(0);
    clocks(0);
    errno = 0;
    start(errno_is_its_own, NULL, 30);
    errno = 5;
    joined();
    IS(errno, 5);
    cancellation();
    cancellation_anywhere();
    at_the_smallest();
    locks(0);
    barriers(0);
    errors_of_conversions();
    memory_that_fits();
    all_that_fit();
    /* The program goes on when main has ended so. */
    start(end_the_program, NULL, 10);
    pthread_exit(NULL);
}
