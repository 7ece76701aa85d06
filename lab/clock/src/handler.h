/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a processor executes an interrupt handler. It owns where the architectures and their ports of the kernel show
 * that; it must never know which interrupt it is.
 */
#ifndef TAKTOS_HANDLER_H
#define TAKTOS_HANDLER_H

#include <stdbool.h>

/* Finds the register that tells, of the processor that has just been made; `target`: the emulator's name for what it
 * emulates. */
void handler_find(const char *target);

/* Whether the processor whose instruction is observed executes a handler; false where the emulator does not show it. */
bool handler_runs(void);

#endif
