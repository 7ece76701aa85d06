/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each processor has executed: instructions and, with a timing table, modelled cycles, a phase each.
 *
 * It owns the words that translated code adds to. The first of a processor's words is its time (time.h).
 */
#ifndef TAKTOS_COUNT_H
#define TAKTOS_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu_plugin.h"
#include "totals.h"

/* Makes the words of all processors, after the timing table has been read, if there is one. `by_cycles`: time passes by
 * its cycles, and not by instructions. */
void count_begin(bool by_cycles);

/* The word that is a processor's time. */
qemu_plugin_u64 count_time(void);

/* How many ticks of time so much takes. */
uint64_t count_ticks(uint64_t instructions, uint64_t cycles);

/* Lets translated code add to the time and to the phase's words, before the instruction. */
void count_add(struct qemu_plugin_insn *insn, uint8_t phase, uint64_t instructions, uint64_t cycles);

/* Everything that a processor has executed so far. */
struct totals count_totals(int processor);

/* The same without its last instruction, of so many cycles. */
struct totals count_totals_before(int processor, uint8_t phase, uint32_t cycles);

#endif
