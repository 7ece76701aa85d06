/* The kernel's services for C programs: threads, the objects by which they work together, time; an end, a console, interrupts.
 *
 * An object lies in memory of the program's, of the type that is named like it, and is made by its init. A call says 0 (TAKTOS_OK) or an error, a negative
 * number. Besides those that are named, each call of an object gives TAKTOS_ERROR_PARAMETER where there is none, and TAKTOS_ERROR_DELETED where it is deleted
 * while the call waits; each that may wait in a thread gives TAKTOS_ERROR_CONTEXT in a handler, unless the caller says TAKTOS_NO_WAIT and the comment that this is
 * allowed. A pointer for an answer may be null where the answer is of no use. Calls of the standard (cmsis_os2.h) can stand in the same program: threads are the same.
 *
 * Written by `cargo xtask header` from user/c/src/native.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TAKTOS_H_
#define TAKTOS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKTOS_OK 0
/* (errors) */

/* How long a call may wait, in nanoseconds: not at all, as long as it takes, for a span, until an instant (of taktos_now). */
typedef uint64_t taktos_time_t;
#define TAKTOS_NO_WAIT ((taktos_time_t)0)
#define TAKTOS_FOREVER UINT64_MAX
#define TAKTOS_MICROS(count) ((taktos_time_t)(count) * 1000U)
#define TAKTOS_MILLIS(count) ((taktos_time_t)(count) * 1000000U)
#define TAKTOS_SECONDS(count) ((taktos_time_t)(count) * 1000000000U)
#define TAKTOS_UNTIL(instant) ((taktos_time_t)(instant) | (taktos_time_t)1 << 63)

/* A thread: an osThreadId_t. */
typedef void *taktos_thread_t;
/* What threads, alarms and work call. */
typedef void (*taktos_function_t)(void *argument);
/* A message and who sent it: null for a thread that C has not made. */
typedef struct {
    taktos_thread_t sender;
    uintptr_t words[2];
    bool wants_reply;
} taktos_received_t;

/* One of several objects that a thread waits for. `kind` is one of TAKTOS_POLL_..., `object` the address of such an object; null for a notification. */
typedef struct {
    uint32_t kind;
    uint32_t flags;       /* the flags that are waited for, or the bits to be cleared of a notification's word */
    uint32_t options;     /* those of taktos_events_wait */
    int32_t code;         /* of the event that ended the poll: TAKTOS_OK or its own error */
    void *object;
    void *place;          /* where a queue's message or a pipe's bytes are wanted */
    size_t length;        /* how many bytes of a pipe there is space for */
    uintptr_t found;      /* see taktos_poll */
    uintptr_t words[40] __attribute__((aligned(8))); /* the poll's own */
} taktos_poll_t;

/* (functions) */
/* Ends the program; in an emulator, which ends with `status` then (0: success). */
__attribute__((noreturn)) void taktos_exit(int32_t status);

/* Writes so many characters to the board's console. Allowed everywhere. What is not UTF-8 is left out. */
void taktos_write(const char *text, size_t length);

/* The handler of the interrupt with this number, a plain one or a macro of one, as the board's interrupt controller counts: on a Cortex-M the
 * position in the chip's table of vectors, on an Arm GIC 32 + n for the shared interrupt n, on RISC-V 16 + n for the source n of the PLIC.
 *
 *     TAKTOS_INTERRUPT(13) { osSemaphoreRelease(received); }
 *     ...
 *     TAKTOS_INTERRUPT_ENABLE(13);
 *
 * It may call what the standard allows in handlers. On a Cortex-M priorities can also be set by the usual means: osKernelInitialize and
 * the start of the kernel put all interrupts of a higher priority (below 0x80) at the kernel's level, 0x80. A handler whose priority is set
 * above it when the kernel runs is never delayed by the kernel; its calls of CMSIS-RTOS2 give osErrorISR, others end the program. */
#define TAKTOS_INTERRUPT(number) void TAKTOS_INTERRUPT_NAME(number)(void)
#define TAKTOS_INTERRUPT_ENABLE(number) taktos_interrupt_enable(number, TAKTOS_INTERRUPT_NAME(number))
#define TAKTOS_INTERRUPT_NAME(number) TAKTOS_INTERRUPT_NAME_OF(number)
#define TAKTOS_INTERRUPT_NAME_OF(number) taktos_interrupt_##number

/* Lets an interrupt reach its handler, keeps it back, makes it pending as its device would: 0, or -4 for one that the board has not. */
int32_t taktos_interrupt_enable(uint32_t number, void (*handler)(void));
int32_t taktos_interrupt_disable(uint32_t number);
int32_t taktos_interrupt_pend(uint32_t number);

#ifdef __cplusplus
}
#endif

#endif /* TAKTOS_H_ */
