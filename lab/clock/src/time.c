/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "time.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "emulator.h"

/* A processor's time runs only while it has the turn. */
struct processor {
    CPUState *state;
    int64_t local;       /* its time when it last gave up the turn */
    int64_t since;       /* its time when the count stood at `from` */
    uint64_t from;
    int64_t woken;       /* the time of the interrupt that woke it */
    bool halted;
    bool called;         /* since it halted, with something to do: later calls do not wake it */
    uint64_t ticks;      /* up to `from` */
};

static struct processor processors[MOST_PROCESSORS];
static int count;
static qemu_plugin_u64 words;
static struct time_options options;
static struct accelerator *accelerator;
static pthread_t thread;

static int64_t quantum_begin, quantum_end;
static int64_t common;       /* the time that devices see while no processor runs */
static int turn = -1;
static int first;            /* the processor that begins each quantum */
static bool timers_changed;  /* by the running processor, since the quantum's end was chosen */
static bool deciding;        /* inside the gate or the jump: no processor runs */

static uint64_t read_word(int i) { return qemu_plugin_u64_get(words, (unsigned)i); }
static void write_word(int i, uint64_t value) { qemu_plugin_u64_set(words, (unsigned)i, value); }

static int64_t run_since(int i)
{
    return (int64_t)(read_word(i) - processors[i].from) * options.cycle;
}

int64_t time_of(int i)
{
    return i == turn ? processors[i].since + run_since(i) : processors[i].local;
}

uint64_t time_ticks(int i)
{
    return processors[i].ticks + (i == turn ? read_word(i) - processors[i].from : 0);
}

int64_t time_elapsed(void) { return common / 1000; }

int64_t time_before(int i, uint64_t ticks)
{
    return time_of(i) - (int64_t)ticks * options.cycle;
}

/* Whether a processor is halted with nothing to do. On the way the emulator asks is_idle(), which is not to let
 * time pass now. */
static bool sleeps(int i)
{
    bool was = deciding;
    deciding = true;
    bool idle = cpu_thread_is_idle(processors[i].state);
    deciding = was;
    return idle;
}

unsigned time_asleep(void)
{
    unsigned asleep = 0;
    for (int i = 0; i < count; i++)
        asleep |= (unsigned)sleeps(i) << i;
    return asleep;
}

uint64_t time_all_ticks(void)
{
    uint64_t all = 0;
    for (int i = 0; i < count; i++)
        all += time_ticks(i);
    return all;
}

static int index_of(const CPUState *state)
{
    for (int i = 0; i < count; i++)
        if (processors[i].state == state)
            return i;
    return -1;
}

/* ---- turns ---- */

static void take_turn_away(void)
{
    struct processor *p = &processors[turn];
    p->local = time_of(turn);
    p->ticks = time_ticks(turn);
    write_word(turn, FULL);
    turn = -1;
}

static void give_turn(int i)
{
    struct processor *p = &processors[i];
    uint64_t ticks = (uint64_t)((quantum_end - p->local + options.cycle - 1) / options.cycle);
    p->since = p->local;
    p->from = FULL - ticks;
    write_word(i, p->from);
    turn = i;
}

/* A processor that was halted and is no longer: its time goes on where it was woken. */
static void wake(struct processor *p)
{
    p->halted = p->called = false;
    if (p->local < quantum_begin)
        p->local = quantum_begin;
    if (p->local < p->woken)
        p->local = p->woken;
}

static int64_t until_next_timer(void)
{
    return qemu_clock_deadline_ns_all(VIRTUAL_CLOCK, ALL_TIMERS);
}

/* Device time goes on to `to`; timers that are due on the way run. */
static void advance(int64_t to)
{
    int64_t next = until_next_timer();
    if (next >= 0 && next <= to / 1000 - common / 1000) {
        if (next == 0)
            qemu_clock_run_timers(VIRTUAL_CLOCK);
        qemu_clock_advance_virtual_time(to / 1000);
    }
    if (common < to)
        common = to;
}

static int busy_processors(void)
{
    int busy = 0;
    for (int i = 0; i < count; i++)
        busy += !sleeps(i);
    return busy;
}

#define STRETCH 1000

/* The next number of the sequence that the seed chooses: xorshift of 64 bits (Marsaglia 2003). */
static uint64_t random_number(void)
{
    static uint64_t state;
    if (state == 0)
        state = options.seed * 0x9e3779b97f4a7c15u; /* small seeds, far apart; odd, so never 0 */
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* How long the next quantum is to be. Varied: from a tick to the whole quantum, and another processor begins. */
static int64_t quantum_length(void)
{
    if (options.seed == 0)
        return options.quantum;
    first = (int)(random_number() % (uint64_t)count);
    uint64_t most = (uint64_t)((options.quantum + options.cycle - 1) / options.cycle);
    return (int64_t)(1 + random_number() % most) * options.cycle;
}

/* The next quantum: never past the next timer, so that timers are on time. */
static void next_quantum(void)
{
    quantum_begin = quantum_end;
    options.quantum_ended();
    advance(quantum_begin);
    int64_t next = until_next_timer();
    int64_t length = quantum_length();
    if (options.stretch && busy_processors() == 1)
        length *= STRETCH;
    if (next >= 0 && next < length / 1000)
        length = next * 1000;
    quantum_end = quantum_begin + (length < options.cycle ? options.cycle : length);
}

/* A processor's place in the order of turns, and the other way round. */
static int place_of(int i) { return (i - first + count) % count; }
static int at_place(int place) { return (first + place) % count; }

/* Gives the turn to the first processor from place `from` on that has time left in this quantum. */
static bool offer_turn(int from)
{
    for (int place = 0; place < count; place++) {
        int i = at_place(place);
        struct processor *p = &processors[i];
        if (sleeps(i)) {
            p->halted = true;
            p->called = false;
            continue;
        }
        if (place < from)
            continue;
        if (p->halted)
            wake(p);
        if (p->local < quantum_end) {
            give_turn(i);
            return true;
        }
    }
    return false;
}

/* Gives the turn to whom it belongs; to nobody when all are halted. */
static void pass_turn(int from)
{
    while (!offer_turn(from)) {
        if (busy_processors() == 0)
            return;
        next_quantum();
        from = 0;
    }
}

/* The running processor has set a timer: the quantum ends there, and the turn goes on. */
static void shorten_quantum(void)
{
    int runner = turn;
    take_turn_away();
    int64_t next = until_next_timer();
    int64_t end = common + next * 1000;
    if (next >= 0 && end < quantum_end) {
        int64_t local = processors[runner].local;
        quantum_end = end > local ? end : local + options.cycle;
    }
    give_turn(runner);
}

static void decide(int caller)
{
    int from = 0;
    if (timers_changed && turn == caller) {
        timers_changed = false;
        shorten_quantum();
        return;
    }
    if (turn >= 0 && turn != caller && !sleeps(turn))
        return;
    if (turn >= 0) {
        from = place_of(turn) + 1;
        processors[turn].halted = turn != caller;
        take_turn_away();
    }
    pass_turn(from);
}

void time_gate(unsigned index, void *unused)
{
    (void)index;
    (void)unused;
    bool locked = bql_locked();
    if (!locked)
        bql_lock_impl(__FILE__, __LINE__);
    int caller = index_of(current_cpu);
    deciding = true;
    decide(caller);
    deciding = false;
    bool go_on = turn == caller;
    if (!go_on)
        cpu_exit(current_cpu);
    if (!locked)
        bql_unlock();
    /* Without the turn the block is left before its first instruction. */
    if (!go_on)
        cpu_loop_exit_restore(current_cpu, (uintptr_t)__builtin_return_address(0));
}

void time_timer_changes(unsigned index, void *unused)
{
    (void)index;
    (void)unused;
    if (turn < 0)
        return;
    struct processor *p = &processors[turn];
    p->since = time_of(turn);
    p->ticks = time_ticks(turn);
    p->from = FULL;
    write_word(turn, FULL);
    timers_changed = true;
}

bool time_by_stores(void) { return options.stores; }

/* ---- what the emulator asks ---- */

#define BEFORE_ALL_TIMERS (INT64_MIN / 2)

static bool turn_runs_here(void)
{
    return !deciding && turn >= 0 && current_cpu == processors[turn].state &&
           pthread_equal(pthread_self(), thread);
}

/* The emulator's main loop while processors run. It would sleep until the next timer as if virtual time were the
 * host's, wake thousands of times a second, and run timers whenever it happens to look. */
static bool is_main_loop(void)
{
    return !pthread_equal(pthread_self(), thread) && processors[0].state && !cpu_is_stopped(processors[0].state);
}

static int64_t clock_now(void)
{
    if (is_main_loop())
        return BEFORE_ALL_TIMERS;
    return (turn_runs_here() ? time_of(turn) : common) / 1000;
}

static void clock_set(int64_t to)
{
    common = to * 1000;
}

/* Everybody is halted: time jumps to the next timer. False when that may have woken somebody. */
static bool jump(void)
{
    if (turn >= 0)
        take_turn_away();
    for (int i = 0; i < count; i++)
        processors[i].halted = true;
    int64_t next = until_next_timer();
    if (next < 0)
        return true;
    int64_t to = (common / 1000 + next) * 1000;
    advance(to < quantum_begin ? quantum_begin : to);
    quantum_begin = quantum_end = common > quantum_begin ? common : quantum_begin;
    return false;
}

/* Asked of each halted processor in turn: when it comes to the last, all are. */
static bool is_idle(CPUState *state)
{
    if (deciding || !pthread_equal(pthread_self(), thread) || state != processors[count - 1].state)
        return true;
    deciding = true;
    bool idle = jump();
    deciding = false;
    return idle;
}

/* The running processor interrupts or starts another: one that is halted does not wake before the sender's
 * time, and a stretched quantum ends soon. */
static void called_by_running(int target)
{
    int64_t now = time_of(turn);
    struct processor *p = &processors[target];
    if (!p->called && (p->halted || sleeps(target)))
        p->woken = now;
    if (!options.stretch || quantum_end <= now + options.quantum)
        return;
    int sender = turn;
    take_turn_away();
    quantum_end = now + options.quantum;
    give_turn(sender);
}

static void called(const CPUState *state)
{
    int target = index_of(state);
    if (target >= 0 && !turn_runs_here() && !processors[target].called)
        processors[target].woken = common;
    else if (target >= 0 && turn_runs_here() && target != turn)
        called_by_running(target);
}

/* The call has been made: whether it woke the processor is now seen. */
static void has_been_called(const CPUState *state)
{
    int target = index_of(state);
    if (target >= 0 && pthread_equal(pthread_self(), thread))
        processors[target].called = processors[target].halted && !sleeps(target);
}

static void handle_interrupt(CPUState *state, int mask)
{
    called(state);
    tcg_handle_interrupt(state, mask);
    has_been_called(state);
}

/* Work is put before a processor: being switched on is such work. */
static void kick(CPUState *state)
{
    if (turn_runs_here())
        called(state);
    rr_kick_vcpu_thread(state);
    has_been_called(state);
}

/* ---- beginning ---- */

static bool refuse(const char *what)
{
    fprintf(stderr, "taktos-clock: %s; this clock is for QEMU 10.0 with -accel tcg,thread=single "
                    "and without -icount\n", what);
    return false;
}

bool time_begin(int processors_, qemu_plugin_u64 counts, struct time_options chosen)
{
    if (processors_ > MOST_PROCESSORS)
        return refuse("too many processors");
    accelerator = object_class_by_name("tcg-accel-ops");
    if (!accelerator)
        return refuse("the emulator does not translate");
    count = processors_;
    words = counts;
    options = chosen;
    accelerator->get_virtual_clock = clock_now;
    accelerator->set_virtual_clock = clock_set;
    accelerator->cpu_thread_is_idle = is_idle;
    return true;
}

void time_add_processor(int i)
{
    bool expected = accelerator->create_vcpu_thread == rr_start_vcpu_thread &&
                    (accelerator->kick_vcpu_thread == rr_kick_vcpu_thread ||
                     accelerator->kick_vcpu_thread == kick) &&
                    (accelerator->handle_interrupt == tcg_handle_interrupt ||
                     accelerator->handle_interrupt == handle_interrupt);
    if (!expected) {
        refuse("the emulator's parts are not the expected ones");
        exit(EXIT_FAILURE);
    }
    accelerator->handle_interrupt = handle_interrupt;
    accelerator->kick_vcpu_thread = kick;
    thread = pthread_self();
    processors[i] = (struct processor){ .state = qemu_get_cpu(i), .halted = true };
    tcg_cflags_set(processors[i].state, CF_PARALLEL);
    write_word(i, FULL);
}
