/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan: which addresses of an image are marks, and which words name the running threads.
 *
 * It owns the plan's text form, which lab/emulator writes: a line each of
 *   mark ADDRESS NUMBER            a marked address; numbers are 1 to 65535
 *   watch ADDRESS STRIDE COUNT WORD  the words that name the running thread, one a processor; WORD: bytes of one
 *   information OFFSET             where, in what such a word names, a pointer to its name is
 *   standing URGENCY WAIT FLAG     where, in what such a word names, the words are that tell how a thread stands, and the
 *                                  flag of one that is suspended
 *   before BASE SIZE               code of the machine's own, which runs before the image: it is in no timing table
 */
#ifndef TAKTOS_PLAN_H
#define TAKTOS_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct watch {
    uint64_t base, stride, count; /* count 0: nothing is watched */
    uint32_t word;                /* bytes of an address: 4 or 8 */
    uint64_t information;
    bool named;                   /* `information` is known */
    uint64_t urgency, wait, suspended;
    bool standing;                /* the three are known */
};

extern struct watch watch;

/* Reads the whole plan; false, with one line on standard error, when it is not one. */
bool plan_read(const char *path);

/* The number of the mark at this address; 0: none. */
uint16_t plan_mark(uint64_t address);

/* Whether an instruction at this address is the machine's own. */
bool plan_before_image(uint64_t address);

#endif
