/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switches: stores to the words that name the running threads. It owns the watching of them.
 */
#ifndef TAKTOS_SWITCHES_H
#define TAKTOS_SWITCHES_H

#include "../src/qemu_plugin.h"
#include "weight.h"

/* Before the first block: what the plan says of threads. */
void switches_begin(void);

/* Watches the stores of an instruction of such a weight, if the plan watches any words. */
void switches_watch(struct qemu_plugin_insn *insn, struct weight weight);

#endif
