/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One consistent virtual time for several processors.
 *
 * Each processor has a count of ticks, which translated code adds to. A processor may run
 * until its count reaches FULL; then it falls into the gate, which gives the turn to the next.
 * All of them pass through the same quanta of time, in the order of their numbers.
 */
#ifndef TAKTOS_TIME_H
#define TAKTOS_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu_plugin.h"

#define MOST_PROCESSORS 8
#define FULL (1ull << 62) /* the count at which the gate closes */

struct time_options {
    int64_t cycle;    /* picoseconds */
    int64_t quantum;  /* picoseconds */
    bool stretch;     /* a processor that is busy alone gets long quanta */
    bool stores;      /* timers are set by stores to devices, too */
    uint64_t seed;    /* not 0: quanta of every length up to `quantum`, begun by any processor, in a sequence that
                       * the seed chooses: for finding races, not for time */
    void (*quantum_ended)(void); /* told of each quantum's end */
};

/* Takes the emulator's clock over, for `processors` processors whose counts are `counts`. False, with a line
 * on standard error, when this is not the emulator that it is written for. */
bool time_begin(int processors, qemu_plugin_u64 counts, struct time_options options);

/* A processor was made; called in the thread that runs them all. */
void time_add_processor(int index);

/* The gate: a processor's count is full. Called directly from translated code. */
void time_gate(unsigned index, void *unused);

/* The running processor may be about to set a timer: the gate looks at the next block. Called from translated code. */
void time_timer_changes(unsigned index, void *unused);

/* Whether a store to a device is such a moment. */
bool time_by_stores(void);

/* A processor's own time in picoseconds, and the ticks that it has run: cycles of the clock, added to its count. */
int64_t time_of(int processor);
uint64_t time_ticks(int processor);
uint64_t time_all_ticks(void);
/* The time of the running processor so many ticks ago. */
int64_t time_before(int processor, uint64_t ticks);
/* The machine's time in nanoseconds: that of the last quantum's begin. */
int64_t time_elapsed(void);
/* Which processors are halted: a bit each. */
unsigned time_asleep(void);

#endif
