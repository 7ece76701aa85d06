/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a run ends, by the image or not. It owns the limits; it must never know how anything is counted. */
#ifndef TAKTOS_END_H
#define TAKTOS_END_H

#include <stdint.h>

#include "record.h"

/* 0 or NULL: no end of this kind. */
struct limits {
    uint64_t executed;    /* as end_check is told */
    uint64_t records;
    int64_t until;        /* nanoseconds of virtual time */
    int64_t seconds;      /* of real time */
    const char *progress; /* the file that says meanwhile how far the virtual time is */
};

/* Sets the limits; called in the thread that runs the processors, when the first of them is made. */
void end_begin(const struct limits *limits);

/* Ends the run if it has executed so much, recorded as much as it may, or its real time is over. */
void end_check(uint64_t executed);

/* Ends the run: an instruction was executed that the timing table does not know. */
_Noreturn void end_unknown(int processor, uint64_t address);

#endif
