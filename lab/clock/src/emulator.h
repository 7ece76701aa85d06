/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the clock uses of QEMU 10.0 outside the plugin interface.
 *
 * The emulator exports these symbols because it loads modules of its own. Their form
 * belongs to one version: time.c checks at the start that it is the expected one.
 */
#ifndef TAKTOS_EMULATOR_H
#define TAKTOS_EMULATOR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct CPUState CPUState;

/* How an accelerator runs processors; begins with an object class, whose fields are not used. */
struct accelerator {
    void *class_fields[12];
    void *ops_init, *cpus_are_resettable, *cpu_reset_hold;
    void (*create_vcpu_thread)(CPUState *);
    void (*kick_vcpu_thread)(CPUState *);
    bool (*cpu_thread_is_idle)(CPUState *);
    void *synchronize[5];
    void (*handle_interrupt)(CPUState *, int);
    int64_t (*get_virtual_clock)(void);
    void (*set_virtual_clock)(int64_t);
};

extern __thread CPUState *current_cpu;

void *object_class_by_name(const char *name);
CPUState *qemu_get_cpu(int index);
bool cpu_thread_is_idle(CPUState *cpu);
bool cpu_is_stopped(CPUState *cpu);
void cpu_exit(CPUState *cpu);
void cpu_loop_exit_restore(CPUState *cpu, uintptr_t address) __attribute__((noreturn));
void tcg_cflags_set(CPUState *cpu, uint32_t flags);
void tcg_handle_interrupt(CPUState *cpu, int mask);
void rr_start_vcpu_thread(CPUState *cpu);
void rr_kick_vcpu_thread(CPUState *cpu);

int64_t qemu_clock_deadline_ns_all(int clock, int attributes);
int64_t qemu_clock_advance_virtual_time(int64_t to);
bool qemu_clock_run_timers(int clock);

int64_t qemu_clock_get_ns(int clock);
int64_t icount_get(void);
int64_t icount_get_raw(void);

/* A structure of the emulator's, smaller than the room that is made for it. */
struct timer {
    uint64_t room[32];
};
void timer_init_full(struct timer *timer, void *lists, int clock, int scale, int attributes,
                     void (*call)(void *), void *argument);
void timer_mod(struct timer *timer, int64_t when);

void bql_lock_impl(const char *file, int line);
void bql_unlock(void);
bool bql_locked(void);

#define REALTIME_CLOCK 0
#define VIRTUAL_CLOCK 1
#define ALL_TIMERS (-1)
#define CF_PARALLEL 0x8000u /* each processor finds its own words in blocks that all share */

#endif
