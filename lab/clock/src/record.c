/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record.h"

#include <stdio.h>

#include "counter.h"

enum kind { MARK = 1, SWITCH = 2, TROUBLE = 3, END = 4, WAKE = 5, HOLD = 6 };

/* Enough to see what is wrong; the run is refused at the first one anyway. */
#define MOST_TROUBLES 32

static FILE *file;
static int processors, first;
static unsigned troubles;
static uint64_t records;

static void word(uint64_t value)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    fwrite(bytes, 1, sizeof bytes, file);
}

static void head(enum kind kind, int processor, uint64_t argument)
{
    word((uint64_t)kind | (uint64_t)(processor - first) << 8 | argument << 16);
}

static void amount(const struct amount *amount)
{
    word(amount->instructions);
    word(amount->cycles);
}

static void state(int64_t time, const struct totals *totals, bool with_phases)
{
    word((uint64_t)time);
    amount(&totals->all);
    for (uint32_t i = 0; with_phases && i < table.phases; i++)
        amount(&totals->phase[i]);
}

static void standing(struct standing standing)
{
    word(standing.urgency | (uint64_t)standing.known << 32);
    word(standing.wait);
}

bool record_open(const char *path, int count, int resting)
{
    file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "taktos-clock: %s: cannot be written\n", path);
        return false;
    }
    setvbuf(file, NULL, _IOFBF, 1 << 20);
    processors = count;
    first = resting;
    fwrite("TAKREC09", 1, 8, file);
    word((uint64_t)(processors - first));
    word(table.phases);
    return true;
}

void record_mark(int processor, uint16_t mark, unsigned asleep, int64_t time, const struct totals *totals)
{
    records++;
    head(MARK, processor, mark | (uint64_t)(asleep >> first) << 16);
    state(time, totals, true);
}

void record_switch(int processor, struct whose whose, uint64_t thread, const struct moment *at, uint64_t text,
                   uint64_t length, struct standing left, struct standing next)
{
    records++;
    head(SWITCH, processor, whose.guest | (uint64_t)whose.processor << 8);
    state(at->time, &at->totals, false);
    word(thread);
    word(text);
    word(length);
    standing(left);
    standing(next);
}

void record_wake(int processor, unsigned guest, struct woken woken, bool by_handler, int64_t time)
{
    records++;
    head(WAKE, processor, guest | (uint64_t)by_handler << 8);
    word((uint64_t)time);
    word(woken.thread);
    word(woken.waited);
}

void record_hold(int processor, uint64_t place, uint64_t instructions)
{
    records++;
    head(HOLD, processor, 0);
    word(place);
    word(instructions);
}

int record_resting(void) { return first; }

uint64_t record_count(void) { return records; }

void record_trouble(enum trouble kind, int processor, uint64_t from, uint64_t address)
{
    if (troubles++ >= MOST_TROUBLES)
        return;
    head(TROUBLE, processor, kind);
    word(from);
    word(address);
}

void record_end(enum ending how)
{
    if (!file)
        return;
    head(END, first, how);
    for (int i = first; i < processors; i++) {
        struct moment at = counter->now(i);
        state(at.time, &at.totals, true);
        word(at.totals.entries);
        word(at.totals.returns);
        word(at.totals.chains);
    }
    fclose(file);
    file = NULL;
}
