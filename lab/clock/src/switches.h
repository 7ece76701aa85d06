/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switches: stores to the words that name the running threads. It owns the watching of them.
 */
#ifndef TAKTOS_SWITCHES_H
#define TAKTOS_SWITCHES_H

#include "qemu_plugin.h"

/* Before the first block: what the plan says of threads. */
void switches_begin(void);

/* Watches the stores of an instruction, if the plan watches any words; `data` tells the counter which one it is. */
void switches_watch(struct qemu_plugin_insn *insn, void *data);

#endif
