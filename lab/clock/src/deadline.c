/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "deadline.h"

#include <stdio.h>
#include <stdlib.h>

#include "counter.h"
#include "emulator.h"

#define NANOSECONDS 1
#define MILLISECONDS 1000000
#define PULSE 200 /* milliseconds */

static struct timer *set(int clock, int scale, int64_t when, void (*call)(void *))
{
    struct timer *timer = calloc(1, sizeof *timer);
    if (!timer)
        abort();
    timer_init_full(timer, NULL, clock, scale, 0, call, NULL);
    timer_mod(timer, when);
    return timer;
}

void deadline_virtual(int64_t nanoseconds, void (*reached)(void *))
{
    set(VIRTUAL_CLOCK, NANOSECONDS, nanoseconds, reached);
}

static int64_t real_milliseconds(void)
{
    return qemu_clock_get_ns(REALTIME_CLOCK) / MILLISECONDS;
}

void deadline_real(int64_t seconds, void (*reached)(void *))
{
    set(REALTIME_CLOCK, MILLISECONDS, real_milliseconds() + seconds * 1000, reached);
}

static FILE *file;
static struct timer *pulse;

static void tell(void *unused)
{
    (void)unused;
    int64_t now = counter->elapsed();
    unsigned char bytes[sizeof now];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)((uint64_t)now >> (8 * i));
    rewind(file);
    fwrite(bytes, 1, sizeof bytes, file);
    fflush(file);
    timer_mod(pulse, real_milliseconds() + PULSE);
}

void deadline_progress(const char *path)
{
    file = fopen(path, "wb");
    if (file)
        pulse = set(REALTIME_CLOCK, MILLISECONDS, real_milliseconds() + PULSE, tell);
}

/* The emulator refuses to be asked for the time in the middle of a block, because what the block has executed is not
 * counted yet. Without a processor it tells both the time and the instructions as they were counted last: their
 * difference is what passed without one, and that changes only while the processor sleeps. */
int64_t deadline_idle_time(void)
{
    CPUState *processor = current_cpu;
    current_cpu = NULL;
    int64_t idle = icount_get() - icount_get_raw();
    current_cpu = processor;
    return idle;
}
