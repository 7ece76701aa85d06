/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a processor executes an interrupt handler. It owns where the architectures' ports of the kernel show that; it must
 * never know which interrupt it is.
 */
#ifndef TAKTOS_HANDLER_H
#define TAKTOS_HANDLER_H

#include <stdbool.h>

/* Finds the register that tells, of the processor that has just been made: all are alike. */
void handler_find(void);

/* Whether the processor whose instruction is observed executes a handler; false where the emulator does not show it. */
bool handler_runs(void);

#endif
