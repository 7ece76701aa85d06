/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run: instructions that follow each other in memory and in time, counted with
 * one call when the first of them is reached.
 *
 * The cost of a run is summed when the emulator translates it. What is only known
 * while the image runs (how it was reached, whether it was left early, whether a
 * condition held) is added then.
 */
#ifndef TAKTOS_RUN_H
#define TAKTOS_RUN_H

#include <stdbool.h>

#include "totals.h"

struct part {
    struct amount amount;
    uint8_t phase;
};

struct run {
    uint32_t address, end;     /* of the first instruction; after the last */
    uint32_t length;           /* instructions */
    uint16_t mark;             /* at the first of them; 0: none */
    const struct record *first, *last; /* NULL: not in the table */
    bool head;                 /* begins a block: may be reached from anywhere */
    bool reads_condition;      /* a lone instruction whose cost hangs on its condition */
    bool one_phase;
    uint8_t parts;
    struct amount sum;          /* as if not directly after a single load or store */
    struct part part[];
};

extern struct totals totals;

static inline void add(uint8_t phase, uint64_t instructions, uint64_t cycles)
{
    totals.all.instructions += instructions;
    totals.all.cycles += cycles;
    totals.phase[phase].instructions += instructions;
    totals.phase[phase].cycles += cycles;
}

/* One of the two cores. `executed` counts from the run's first instruction. */
struct core {
    /* Sums up a new run. */
    void (*prepare)(struct run *run);
    /* Adds the first `executed` instructions; `passed`: the condition held. */
    void (*account)(const struct run *run, uint32_t executed, bool passed);
    /* The totals before instruction `index` of a run that is not yet accounted. */
    struct amount (*before)(const struct run *run, uint32_t index, bool passed);
    /* Cycles in which no instruction is issued, booked to a phase. */
    void (*wait)(uint8_t phase, uint32_t cycles);
};

extern const struct core simple_core, pipelined_core;

#endif
