/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holds: how many instructions a processor executes while it has the lock of the image, a word whose lowest byte is 0
 * while nobody has it. It owns the watching of that byte; it must never know who waits, or what the lock is for.
 */
#ifndef TAKTOS_HOLDS_H
#define TAKTOS_HOLDS_H

#include "qemu_plugin.h"

/* Watches the stores of an instruction, if the plan watches a lock; `data` tells the counter which one it is. */
void holds_watch(struct qemu_plugin_insn *insn, void *data);

#endif
