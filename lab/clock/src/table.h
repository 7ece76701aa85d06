/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The timing table: what lab/cycles says about each instruction of an image.
 *
 * This is the only place that knows the table's binary form, and all that the
 * clock ever learns about an instruction: there are no encodings here.
 */
#ifndef TAKTOS_TABLE_H
#define TAKTOS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* What the clock must do about an instruction while the image runs. */
enum {
    SINGLE    = 1 << 0,  /* a single load or store: one cycle directly after another */
    MAY_LEAVE = 1 << 1,  /* a fault or device access may end the block here */
    TRANSFER  = 1 << 2,  /* may go elsewhere than to the next instruction */
    RETURN    = 1 << 3,  /* may return from an exception */
    HANDLER   = 1 << 4,  /* the first instruction of an exception handler */
    STORE     = 1 << 5,  /* writes memory */
    LOAD_STORE_PIPE = 1 << 6,  /* dual issue: uses the one load/store pipe */
    BRANCH_PIPE = 1 << 7,      /* dual issue: uses the one branch unit */
    FIRST_ONLY = 1 << 8,       /* dual issue: only as the first of a pair */
    ALONE     = 1 << 9,        /* dual issue: never */
};

#define ALWAYS 14u /* the condition that always holds */

/* One halfword slot of code; size 0 where no instruction begins. */
struct record {
    uint8_t size;      /* bytes */
    uint8_t cost;      /* cycles alone (simple core) or issue cycles (pipelined core) */
    uint8_t condition; /* as encoded by the architecture; ALWAYS where none */
    uint8_t phase;
    uint16_t flags;
    uint8_t sources, results;
    uint32_t operands; /* index of the first operand */
};

/* A register and a time in cycles from the first cycle of issue: the latest at
 * which a source must be there, or the first at which a result is. */
struct operand {
    uint8_t reg, when;
};

#define OPERAND_REGISTERS 128
#define MAX_PHASES 16

enum model { SIMPLE = 1, PIPELINED = 2 };

struct table_header {
    char magic[8];
    uint32_t model, regions, phases; /* phases 0: no table was read */
    uint32_t transfer, entry, exit, chain; /* cycles of control transfers and exceptions */
    uint32_t operands;
};

struct region {
    uint32_t base, slots;
};

extern struct table_header table;
extern const struct operand *table_operands;

/* Reads the whole table; false, with one line on standard error, when it is not one. */
bool table_read(const char *path);

/* What is known of the instruction at this address; NULL when nothing is. */
const struct record *table_find(uint32_t address);

static inline const struct record *record_after(const struct record *r)
{
    return r + r->size / 2;
}

#endif
