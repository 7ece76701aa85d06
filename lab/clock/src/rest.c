/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The emulator's main loop, a thread of its own, skips to the next timer whenever it finds the processor halted. It may do so as soon as the
 * processor is, and what that has executed since it was last asked for the time is counted only when its thread has come back from the block:
 * in between the main loop knows a time that is too early, skips too far by as much, and the timer is late by that. How often this happens is
 * the host's choice, which has other processes too. So the main loop learns that the processor rests from the thread that runs it, which knows
 * once all is counted.
 */
#include "rest.h"

#include <pthread.h>
#include <stdio.h>

#include "emulator.h"

static pthread_t thread;
static qemu_plugin_u64 executing;
static uint64_t nothing;
static uint64_t *executes = &nothing; /* the same, as seen from here */

/* Asked of a halted processor that has nothing to do, by its own thread between blocks and by the main loop at any time. */
static bool is_idle(CPUState *state)
{
    (void)state;
    if (pthread_equal(pthread_self(), thread))
        __atomic_store_n(executes, 0, __ATOMIC_RELEASE);
    return __atomic_load_n(executes, __ATOMIC_ACQUIRE) == 0;
}

bool rest_begin(void)
{
    struct accelerator *accelerator = object_class_by_name("tcg-accel-ops");
    if (!accelerator) {
        fprintf(stderr, "taktos-clock: the emulator does not translate\n");
        return false;
    }
    executing.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
    executing.offset = 0;
    accelerator->cpu_thread_is_idle = is_idle;
    return true;
}

void rest_add_processor(void)
{
    thread = pthread_self();
    executes = qemu_plugin_scoreboard_find(executing.score, 0);
}

void rest_translated(struct qemu_plugin_tb *block)
{
    qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(block, QEMU_PLUGIN_INLINE_STORE_U64, executing, 1);
}
