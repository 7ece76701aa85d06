/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends of a run that the image does not choose: a time of the emulator's virtual clock, and so much real time; and a file
 * that says meanwhile how far the virtual clock is. It must never know what is recorded.
 */
#ifndef TAKTOS_DEADLINE_H
#define TAKTOS_DEADLINE_H

#include <stdint.h>

/* Calls `reached` when the virtual clock comes to so many nanoseconds; an image that waits for ever comes to it at once. */
void deadline_virtual(int64_t nanoseconds, void (*reached)(void *));

/* Calls `reached` after so many seconds of real time, in another thread than the processors'. */
void deadline_real(int64_t seconds, void (*reached)(void *));

/* Writes the virtual time to the file now and then: 64 bits, little-endian, nanoseconds. */
void deadline_progress(const char *path);

/* The virtual time in nanoseconds, as far as it has passed without the processor: all of it but what it executed. Only
 * with -icount, where each instruction takes one. */
int64_t deadline_idle_time(void);

#endif
