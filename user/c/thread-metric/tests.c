/* The seven tests of Thread-Metric for C programs, as `workloads/src/thread_metric.rs` has them in Rust: an iteration at a time.
 * Owns: the tests. Must never know: which interface their calls are of (`taktos.h` and `cmsis-rtos2.h` beside this file, of which the compiler
 * is told one), or how they are counted.
 *
 * A mark is a symbol and no instruction: the laboratory watches its address. */
#include "taktos.h"

/* How often each test goes round. */
#define REPETITIONS 1001
#define THREADS 5
/* The priority of the least urgent of the threads, and of the one that makes them, which is above all. */
#define LEAST 20
#define ABOVE 50
/* What the tests of messages and of memory have, in bytes, and how many. */
#define MESSAGE 16
#define MESSAGES 10
#define BLOCK 128
#define BLOCKS 16

/* An interrupt that no device of the board has. */
#if defined(__aarch64__)
#define SPARE 60
#else
#define SPARE 20
#endif

#define MARK(name, end) __asm__ volatile("\"taktos.mark." name "." end ".%=\":" ::: "memory")
#define BEGIN(name) MARK(name, "begin")
#define END(name) MARK(name, "end")

static void expect(bool is_so)
{
    if (!is_so) {
        static const char text[] = "a call of a test failed\n";
        taktos_write(text, sizeof text - 1);
        taktos_exit(1);
    }
}

/* The calls: thread_t, begin, start, make, wait_for, end, yield, resume, suspend, wake (in a handler), sleep (until then), take, give, send,
 * receive, allocate, release. */
#include INTERFACE

static thread_t threads[THREADS];
static volatile uint32_t counters[THREADS];
/* What the interrupt does: gives the semaphore, or wakes the second thread. */
static volatile bool wakes;

static inline void count(size_t thread)
{
    counters[thread] = counters[thread] + 1;
}

TAKTOS_INTERRUPT(SPARE)
{
    if (wakes) {
        wake(threads[1]);
    } else {
        give();
    }
}

/* As its device would make the interrupt pending: on a Cortex-M by a store to the controller. */
static inline void pend(void)
{
#if defined(__arm__)
    *(volatile uint32_t *)0xE000E200U = 1U << SPARE;
#else
    taktos_interrupt_pend(SPARE);
#endif
}

/* Cooperative: threads of one priority yield, round and round. */
static void yield_marked(void *unused)
{
    (void)unused;
    for (int i = 0; i < REPETITIONS; i++) {
        BEGIN("cooperative");
        yield();
        count(0);
        END("cooperative");
    }
}

static void yields(void *argument)
{
    size_t index = (uintptr_t)argument;

    for (;;) {
        yield();
        count(index);
    }
}

/* Preemptive: each resumes a more urgent one and suspends itself, but for the first, which begins anew, and the last. */
static void resume_marked(void *unused)
{
    (void)unused;
    for (int i = 0; i < REPETITIONS; i++) {
        BEGIN("preemptive");
        resume(threads[1]);
        count(0);
        END("preemptive");
    }
}

static void resumes_and_suspends(void *argument)
{
    size_t index = (uintptr_t)argument;

    for (;;) {
        suspend(threads[index]);
        resume(threads[index + 1]);
        count(index);
    }
}

static void suspends(void *argument)
{
    size_t index = (uintptr_t)argument;

    for (;;) {
        suspend(threads[index]);
        count(index);
    }
}

/* Interrupt: the handler gives a semaphore that the thread then takes. */
static void pend_and_take(void *unused)
{
    (void)unused;
    for (int i = 0; i < REPETITIONS; i++) {
        BEGIN("interrupt");
        pend();
        take();
        count(0);
        END("interrupt");
    }
}

/* Interrupt, preempting: the handler wakes a more urgent thread, which sleeps again. */
static void sleeps(void *unused)
{
    (void)unused;
    for (;;) {
        sleep(threads[1]);
        count(1);
    }
}

static void pend_and_be_preempted(void *unused)
{
    (void)unused;
    for (int i = 0; i < REPETITIONS; i++) {
        uint32_t before = counters[1];
        BEGIN("interrupt-preempting");
        pend();
        /* The interrupt comes a few instructions later. */
        while (counters[1] == before) {
        }
        count(0);
        END("interrupt-preempting");
    }
}

/* Message: one thread sends 16 bytes through a queue, and receives them. */
static void send_and_receive(void *unused)
{
    uint32_t message[MESSAGE / 4] = { 0 }, received[MESSAGE / 4];

    (void)unused;
    for (uint32_t number = 0; number < REPETITIONS; number++) {
        message[3] = number;
        BEGIN("message");
        count(0);
        send(message);
        receive(received);
        END("message");
        expect(received[0] == 0 && received[3] == number);
    }
}

/* Synchronisation: one thread takes a semaphore, and gives it. */
static void take_and_give(void *unused)
{
    (void)unused;
    for (int i = 0; i < REPETITIONS; i++) {
        BEGIN("synchronisation");
        take();
        give();
        count(0);
        END("synchronisation");
    }
}

/* Memory: one thread allocates a block, and frees it. */
static void allocate_and_release(void *unused)
{
    (void)unused;
    for (int i = 0; i < REPETITIONS; i++) {
        BEGIN("memory");
        release(allocate());
        count(0);
        END("memory");
    }
}

/* Makes a thread of each function, the first with the mark, each more urgent than the last by so much, and waits for the end of the first; the
 * others are ended then. */
static void all(void (*const functions[])(void *), size_t length, uint32_t step)
{
    for (size_t i = 0; i < length; i++) {
        threads[i] = make(functions[i], (void *)(uintptr_t)i, LEAST + (uint32_t)i * step);
    }
    wait_for(threads[0]);
    for (size_t i = 1; i < length; i++) {
        end(threads[i]);
    }
}

static void run(void *unused)
{
    static void (*const turns[])(void *) = { yield_marked, yields, yields, yields, yields };
    static void (*const chain[])(void *) = { resume_marked, resumes_and_suspends, resumes_and_suspends, resumes_and_suspends, suspends };
    static void (*const interrupt[])(void *) = { pend_and_take };
    static void (*const preempting[])(void *) = { pend_and_be_preempted, sleeps };
    static void (*const message[])(void *) = { send_and_receive };
    static void (*const synchronisation[])(void *) = { take_and_give };
    static void (*const memory[])(void *) = { allocate_and_release };
    static const char done[] = "all tests done\n";

    (void)unused;
    TAKTOS_INTERRUPT_ENABLE(SPARE);
    all(turns, THREADS, 0);
    all(chain, THREADS, 1);
    all(interrupt, 1, 0);
    wakes = true;
    all(preempting, 2, 1);
    all(message, 1, 0);
    give();
    all(synchronisation, 1, 0);
    all(memory, 1, 0);
    taktos_write(done, sizeof done - 1);
    taktos_exit(0);
}

int main(void)
{
    begin();
    make(run, NULL, ABOVE);
    start();
    return 1;
}
