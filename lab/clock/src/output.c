/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the record file. */
#include "output.h"

#include <stdio.h>

enum kind { MARK = 1, SWITCH = 2, TROUBLE = 3, END = 4, WAKE = 5 };

/* Enough to see what is wrong; the run is refused at the first one anyway. */
#define MOST_TROUBLES 32

static FILE *file;
static unsigned troubles;
static uint64_t records;

static void word(uint64_t value)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    fwrite(bytes, 1, sizeof bytes, file);
}

static void count(struct count c)
{
    word(c.instructions);
    word(c.cycles);
}

static void phases(const struct totals *totals)
{
    for (uint32_t i = 0; i < table.phases; i++)
        count(totals->phase[i]);
}

bool output_open(const char *path)
{
    file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "taktos-clock: %s: cannot be written\n", path);
        return false;
    }
    setvbuf(file, NULL, _IOFBF, 1 << 20);
    fwrite("TAKREC05", 1, 8, file);
    word(table.phases);
    return true;
}

uint64_t output_records(void) { return records; }

void output_mark(uint16_t mark, int64_t when, const struct totals *totals)
{
    records++;
    word(MARK | (uint64_t)mark << 8);
    word((uint64_t)when);
    count(totals->all);
    phases(totals);
}

static void standing(struct standing standing)
{
    word(standing.urgency | (uint64_t)standing.known << 32);
    word(standing.wait);
}

void output_switch(uint32_t value, int64_t when, struct count at, uint32_t first, uint32_t second,
                   struct standing left, struct standing next)
{
    records++;
    word(SWITCH | (uint64_t)value << 8);
    word((uint64_t)when);
    count(at);
    word((uint64_t)second << 32 | first);
    standing(left);
    standing(next);
}

void output_wake(struct woken woken, bool by_handler, int64_t when)
{
    records++;
    word(WAKE | woken.thread << 8);
    word((uint64_t)when);
    word(by_handler);
    word(woken.waited);
}

void output_trouble(enum trouble kind, uint32_t from, uint32_t address)
{
    if (troubles++ >= MOST_TROUBLES)
        return;
    word(TROUBLE | (uint64_t)kind << 8);
    word((uint64_t)from << 32 | address);
}

void output_end(enum ending how, int64_t when, const struct totals *totals)
{
    if (!file)
        return;
    word(END | (uint64_t)how << 8);
    word((uint64_t)when);
    count(totals->all);
    phases(totals);
    word(totals->entries);
    word(totals->returns);
    word(totals->chains);
    fclose(file);
    file = NULL;
}
