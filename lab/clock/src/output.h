/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record file: what the clock hands over. It owns the file's binary form.
 *
 * Little-endian 64-bit words throughout. A header (magic, number of phases),
 * then records, each beginning with a word that holds its kind in the low byte;
 * the last record is an END, so a file that was cut short is known as such.
 */
#ifndef TAKTOS_OUTPUT_H
#define TAKTOS_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "table.h"
#include "threads.h"

struct count {
    uint64_t instructions, cycles;
};

struct totals {
    struct count all;
    struct count phase[MAX_PHASES];
    uint64_t entries, returns, chains; /* exceptions */
};

enum trouble {
    UNKNOWN_INSTRUCTION = 1, /* executed, but not in the table */
    UNEXPLAINED_TRANSFER,    /* control went where the table says it cannot */
};

enum ending {
    GUEST_ENDED = 0,
    LIMIT_REACHED = 1, /* so many instructions */
    TIME_REACHED = 2,  /* of the virtual clock */
    RECORD_FULL = 3,
    REAL_TIME_OVER = 4,
};

bool output_open(const char *path);
/* `when`, here and below: nanoseconds of the emulator's virtual clock. */
void output_mark(uint16_t mark, int64_t when, const struct totals *totals);
/* `first` and `second`: the first words of the value's information record; how the thread before leaves, and how the
 * value's stands. */
void output_switch(uint32_t value, int64_t when, struct count at, uint32_t first, uint32_t second,
                   struct standing left, struct standing next);
/* A thread could not run, and now it can, by what a handler did or a thread. */
void output_wake(struct woken woken, bool by_handler, int64_t when);
void output_trouble(enum trouble kind, uint32_t from, uint32_t address);

/* Writes the END record and closes the file. Further calls do nothing. */
void output_end(enum ending how, int64_t when, const struct totals *totals);

/* How many marks, switches and wake-ups were written. */
uint64_t output_records(void);

#endif
