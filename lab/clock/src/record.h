/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record file: what the clock hands over. It owns the file's binary form.
 *
 * Little-endian 64-bit words throughout. A header: magic, processors, phases (none without a timing table). Then
 * records in the order of execution, each beginning with a word that holds its kind in
 * the low byte; a processor's times never go back, those of different processors may by up to a quantum. The last
 * record is an END, so a file that was cut short is known as such. Nothing is kept in memory.
 */
#ifndef TAKTOS_RECORD_H
#define TAKTOS_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "threads.h"
#include "totals.h"

enum trouble {
    UNKNOWN_INSTRUCTION = 1, /* executed, but not in the timing table */
    UNEXPLAINED_TRANSFER,    /* control went where the table says it cannot */
};

enum ending {
    GUEST_ENDED = 0,
    LIMIT_REACHED = 1, /* so much was executed */
    TIME_REACHED = 2,  /* of the virtual clock */
    RECORD_FULL = 3,
    REAL_TIME_OVER = 4,
};

/* Opens the file of a run on so many processors of a machine, of which the first ones rest: they are not in the record, where the one
 * behind them is 0. Everywhere else a processor has the machine's number. */
bool record_open(const char *path, int processors, int resting);

/* How many rest. */
int record_resting(void);

/* A mark was passed: by whom, when, with which totals, and who slept then (a bit a processor). */
void record_mark(int processor, uint16_t mark, unsigned asleep, int64_t time, const struct totals *totals);

/* Whose word it is: the image's, 0, or that of a guest; and which processor's it is to that. */
struct whose {
    unsigned guest, processor;
};

/* A word that names the running thread got a new value, by what a processor executes. `text` and `length`: its name; how
 * the thread before leaves, and how this one stands. */
void record_switch(int processor, struct whose whose, uint64_t thread, const struct moment *at, uint64_t text, uint64_t length,
                   struct standing left, struct standing next);

/* A thread of the image or of a guest could not run, and now it can, by what the processor did, in an interrupt handler or not. */
void record_wake(int processor, unsigned guest, struct woken woken, bool by_handler, int64_t time);

/* A processor gave back a lock that it took by the instruction at `place`, after so many
 * instructions. Of each place the longest is written, and some that are shorter. */
void record_hold(int processor, uint64_t place, uint64_t instructions);

/* How many marks, switches, wake-ups and holds were written. */
uint64_t record_count(void);

/* Something happened that voids the counts; `from`: where control came from, if that matters. */
void record_trouble(enum trouble kind, int processor, uint64_t from, uint64_t address);

/* Writes the END record and closes the file. Further calls do nothing. */
void record_end(enum ending how);

#endif
