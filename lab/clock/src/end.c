/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "end.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "deadline.h"

#define STOPPED 98 /* exit status; the record file tells why */

static uint64_t most_executed = UINT64_MAX, most_records = UINT64_MAX;
static volatile bool real_time_is_over;

/* Whoever set another end than that of what is executed wants what is there: nothing failed. */
static _Noreturn void stop(enum ending how)
{
    record_end(how);
    _exit(how == LIMIT_REACHED ? STOPPED : EXIT_SUCCESS);
}

static void time_reached(void *unused)
{
    (void)unused;
    stop(TIME_REACHED);
}

static void real_time_over(void *unused)
{
    (void)unused;
    real_time_is_over = true;
}

void end_begin(const struct limits *limits)
{
    if (limits->executed)
        most_executed = limits->executed;
    if (limits->records)
        most_records = limits->records;
    if (limits->until)
        deadline_virtual(limits->until, time_reached);
    if (limits->seconds)
        deadline_real(limits->seconds, real_time_over);
    if (limits->progress)
        deadline_progress(limits->progress);
}

void end_check(uint64_t executed)
{
    if (record_count() >= most_records)
        stop(RECORD_FULL);
    if (executed >= most_executed)
        stop(LIMIT_REACHED);
    if (real_time_is_over)
        stop(REAL_TIME_OVER);
}

void end_unknown(int processor, uint64_t address)
{
    record_trouble(UNKNOWN_INSTRUCTION, processor, 0, address);
    /* The counts are worthless from here on, and the file says so. */
    record_end(GUEST_ENDED);
    _exit(STOPPED);
}
