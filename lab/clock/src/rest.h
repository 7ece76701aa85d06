/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the emulator may skip the time in which its processor rests, where it counts the time itself (-icount). It owns that question; it must
 * never know how anything is counted. */
#ifndef TAKTOS_REST_H
#define TAKTOS_REST_H

#include <stdbool.h>

#include "qemu_plugin.h"

/* At the beginning; false, with a line on standard error, when the emulator has no such question. */
bool rest_begin(void);

/* The processor was made; called in the thread that runs it. */
void rest_add_processor(void);

/* A block was translated. */
void rest_translated(struct qemu_plugin_tb *block);

#endif
