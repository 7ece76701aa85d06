/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan: which addresses of an image are marks, which words name the running threads, and which one is a lock.
 *
 * It owns the plan's text form, which lab/emulator writes: a line each of
 *   mark ADDRESS NUMBER            a marked address; numbers are 1 to 65535
 *   watch ADDRESS STRIDE COUNT WORD  the words that name the running thread, one a processor; WORD: bytes of one. The first
 *                                  is the image's own; further ones are of guests that it runs, and the lines that follow
 *                                  each are of it
 *   information OFFSET             where, in what such a word names, a pointer to its name is
 *   called OFFSET                  where, in what such a word names, its name itself is: 16 bytes at most, the last of them 0
 *   standing URGENCY WAIT FLAG     where, in what such a word names, the words are that tell how a thread stands, and the
 *                                  flag of one that is suspended
 *   bytes FIRST STRIDE COUNT BYTE STEP ABLE  where of each that such a word may name a byte tells how it stands instead: the
 *                                  first of COUNT, how far they lie from each other, the same of the bytes, and the least that
 *                                  says that it could run
 *   physical BASE SIZE OFFSET      only what lies in these physical addresses is meant, and OFFSET bytes behind where the
 *                                  watch says; without it one image has all addresses
 *   lock ADDRESS                   the word of a lock, whose lowest byte is 0 while nobody has it (several processors)
 *   before BASE SIZE               code of the machine's own, which runs before the image: it is in no timing table
 */
#ifndef TAKTOS_PLAN_H
#define TAKTOS_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "threads.h"
#include "time.h"

/* An image and its guests. */
#define MOST_WATCHES 17

struct watch {
    uint64_t base, stride, count;
    uint32_t word;                /* bytes of an address: 4 or 8 */
    uint64_t information;
    bool named;                   /* `information` is known */
    uint64_t name;
    bool called;                  /* `name` is known */
    uint64_t urgency, wait, suspended;
    bool standing;                /* the three are known */
    struct bytes bytes;           /* none: `count` is 0 */
    uint64_t physical, size, offset;
    bool translated;              /* the three are known */
    struct threads *threads;      /* NULL: nothing is known of any */
    uint64_t running[MOST_PROCESSORS]; /* what each word named last */
};

/* The image's own words first, then those of each guest; none: nothing is watched. */
extern struct watch watches[MOST_WATCHES];
extern unsigned watch_count;

/* Reads the whole plan; false, with one line on standard error, when it is not one. */
bool plan_read(const char *path);

/* The number of the mark at this address; 0: none. */
uint16_t plan_mark(uint64_t address);

/* The address of the lock; 0: none is watched. */
uint64_t plan_lock(void);

/* Whether an instruction at this address is the machine's own. */
bool plan_before_image(uint64_t address);

#endif
