/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each instruction of a block weighs in modelled cycles.
 *
 * The timing table (table.h) is applied when the emulator translates a block, and never again: pairs and
 * interlocks within a block count, and each block begins with an empty pipeline. A handler's first instruction
 * weighs the way into it too, and one that returns from an exception the way back.
 */
#ifndef TAKTOS_WEIGHT_H
#define TAKTOS_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu_plugin.h"

#define LONGEST_BLOCK 512 /* instructions: the emulator's own limit (TCG_MAX_INSNS) */

struct weight {
    uint32_t cycles;
    uint8_t phase;
    bool known; /* to the timing table */
};

/* The weights of a block's instructions. */
void weigh(const struct qemu_plugin_tb *block, struct weight weights[LONGEST_BLOCK]);

#endif
