/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few questions that an instruction's word answers, on AArch64 and on RV64.
 *
 * It owns all that this clock knows of encodings; what an instruction costs is not among it (weight.h).
 */
#ifndef TAKTOS_ENCODING_H
#define TAKTOS_ENCODING_H

#include <stdbool.h>
#include <stdint.h>

/* Which of the two the image is made of: the name of the emulator's target. */
void encoding_choose(const char *target);

/* May read the time: a system instruction. What ran before it must be counted before it. */
bool may_read_time(uint32_t word);

/* May set a timer: a write of the generic timers' registers, or of stimecmp. */
bool may_set_timer(uint32_t word);

/* A load or a store: a fault, or a device access that the emulator repeats in a block of its own, may end the
 * block behind it. */
bool touches_memory(uint32_t word);

#endif
