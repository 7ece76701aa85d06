/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How what is executed is counted: one of two ways, of which a run has one.
 *
 * `summed`: any number of processors of 64 bits. What a block's instructions weigh is summed when it is translated, and
 * translated code adds it up; the time is this clock's own (time.h).
 * `followed`: one Arm processor of 32 bits, whose cycle models hang on how each block was reached and left; the time is
 * the emulator's (-icount), which is consistent for one.
 */
#ifndef TAKTOS_COUNTER_H
#define TAKTOS_COUNTER_H

#include "qemu_plugin.h"
#include "totals.h"

struct counter {
    /* Cuts a block into runs, and lets them be counted. */
    void (*translate)(struct qemu_plugin_tb *block);
    /* The moment before the instruction that a processor executes, which `data` tells (switches_watch). */
    struct moment (*before)(int processor, void *data);
    /* The moment behind all that a processor has executed; between blocks, or at the end. */
    struct moment (*now)(int processor);
    /* The machine's virtual time in nanoseconds, for whoever is no processor. */
    int64_t (*elapsed)(void);
};

extern const struct counter summed, followed;

/* The way of this run. */
extern const struct counter *counter;

#endif
