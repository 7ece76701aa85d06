/* The calls of FreeRTOS that programs use most, as Taktos has them: so that a program of FreeRTOS's moves here by its build alone. Types, numbers
 * and the names of the calls are those of FreeRTOS's reference (version 11); what differs is in the book of Taktos ("C programs").
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef INC_FREERTOS_H
#define INC_FREERTOS_H

#include <stddef.h>
#include <stdint.h>

#include "cmsis_os2.h"
#if defined(__has_include)
#if __has_include("FreeRTOSConfig.h")
#include "FreeRTOSConfig.h"
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types and numbers ---- */

typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef unsigned long StackType_t;
typedef uint32_t TickType_t;
typedef struct tskTaskControlBlock *TaskHandle_t;
typedef void (*TaskFunction_t)(void *);

#define portBASE_TYPE long
#define portSTACK_TYPE unsigned long
#define portCHAR char
#define portFLOAT float
#define portDOUBLE double
#define portLONG long
#define portSHORT short
#define portSTACK_GROWTH (-1)
#define portBYTE_ALIGNMENT 8
#define portPOINTER_SIZE_TYPE uintptr_t
#define portTASK_FUNCTION_PROTO(function, parameter) void function(void *parameter)
#define portTASK_FUNCTION(function, parameter) void function(void *parameter)
/* Nothing is to be done for them here. */
#define portNOP() ((void)0)
#define portMEMORY_BARRIER() __asm__ volatile("" ::: "memory")
#define portTASK_USES_FLOATING_POINT()
#define portALLOCATE_SECURE_CONTEXT(size) ((void)(size))
#define mtCOVERAGE_TEST_MARKER()
#ifndef PRIVILEGED_FUNCTION
#define PRIVILEGED_FUNCTION
#define PRIVILEGED_DATA
#define FREERTOS_SYSTEM_CALL
#endif

#ifndef configSTACK_DEPTH_TYPE
#define configSTACK_DEPTH_TYPE uint32_t
#endif

#define portMAX_DELAY ((TickType_t)0xFFFFFFFFUL)
#define pdFALSE ((BaseType_t)0)
#define pdTRUE ((BaseType_t)1)
#define pdFAIL pdFALSE
#define pdPASS pdTRUE
#define errQUEUE_EMPTY pdFALSE
#define errQUEUE_FULL pdFALSE
#define errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY ((BaseType_t)-1)
#define tskKERNEL_VERSION_NUMBER "V11.0.0"
#define tskKERNEL_VERSION_MAJOR 11
#define tskKERNEL_VERSION_MINOR 0
#define tskKERNEL_VERSION_BUILD 0

/* ---- What a program may configure, in a FreeRTOSConfig.h of its own ---- */

#ifndef configTICK_RATE_HZ
#define configTICK_RATE_HZ 1000
#endif
#ifndef configMAX_PRIORITIES
#define configMAX_PRIORITIES 56
#endif
#ifndef configMINIMAL_STACK_SIZE
#define configMINIMAL_STACK_SIZE 256
#endif
#ifndef configUSE_TIME_SLICING
#define configUSE_TIME_SLICING 1
#endif
#ifndef configASSERT
#define configASSERT(condition) ((void)0)
#define configASSERT_DEFINED 0
#else
#define configASSERT_DEFINED 1
#endif
#ifndef configTASK_NOTIFICATION_ARRAY_ENTRIES
#define configTASK_NOTIFICATION_ARRAY_ENTRIES 1
#endif
#ifndef configTIMER_TASK_PRIORITY
#define configTIMER_TASK_PRIORITY 39
#endif
#ifndef configTIMER_QUEUE_LENGTH
#define configTIMER_QUEUE_LENGTH 0xFFFFFFFFUL
#endif
#ifndef configMESSAGE_BUFFER_LENGTH_TYPE
#define configMESSAGE_BUFFER_LENGTH_TYPE size_t
#endif
#ifndef configUSE_TICK_HOOK
#define configUSE_TICK_HOOK 0
#endif
#ifndef configUSE_IDLE_HOOK
#define configUSE_IDLE_HOOK 0
#endif
#ifndef configUSE_MALLOC_FAILED_HOOK
#define configUSE_MALLOC_FAILED_HOOK 0
#endif
#ifndef configCHECK_FOR_STACK_OVERFLOW
#define configCHECK_FOR_STACK_OVERFLOW 0
#endif
#ifndef configUSE_DAEMON_TASK_STARTUP_HOOK
#define configUSE_DAEMON_TASK_STARTUP_HOOK 0
#endif

/* Features that are there whatever a program says, for programs that ask. */
#ifndef configSUPPORT_STATIC_ALLOCATION
#define configSUPPORT_STATIC_ALLOCATION 1
#endif
#ifndef configSUPPORT_DYNAMIC_ALLOCATION
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#endif
#ifndef configUSE_PREEMPTION
#define configUSE_PREEMPTION 1
#endif
#ifndef configIDLE_SHOULD_YIELD
#define configIDLE_SHOULD_YIELD 1
#endif
#ifndef configUSE_MUTEXES
#define configUSE_MUTEXES 1
#endif
#ifndef configUSE_RECURSIVE_MUTEXES
#define configUSE_RECURSIVE_MUTEXES 1
#endif
#ifndef configUSE_COUNTING_SEMAPHORES
#define configUSE_COUNTING_SEMAPHORES 1
#endif
#ifndef configUSE_QUEUE_SETS
#define configUSE_QUEUE_SETS 1
#endif
#ifndef configUSE_TASK_NOTIFICATIONS
#define configUSE_TASK_NOTIFICATIONS 1
#endif
#ifndef configUSE_TIMERS
#define configUSE_TIMERS 1
#endif
#ifndef configUSE_16_BIT_TICKS
#define configUSE_16_BIT_TICKS 0
#endif
#ifndef configUSE_CO_ROUTINES
#define configUSE_CO_ROUTINES 0
#endif
#ifndef configMINIMAL_SECURE_STACK_SIZE
#define configMINIMAL_SECURE_STACK_SIZE configMINIMAL_STACK_SIZE
#endif
#ifndef configMIN
#define configMIN(one, other) ((one) < (other) ? (one) : (other))
#endif
#ifndef configMAX
#define configMAX(one, other) ((one) > (other) ? (one) : (other))
#endif

/* Numbers, which the preprocessor may not know as such (a cast stands before many). */
#ifdef __cplusplus
#define TAKTOS_ASSERT_ALWAYS(name, condition) static_assert(condition, name)
#define TAKTOS_NO_ATTRIBUTES {}
#else
#define TAKTOS_ASSERT_ALWAYS(name, condition) _Static_assert(condition, name)
#define TAKTOS_NO_ATTRIBUTES {0}
#endif
TAKTOS_ASSERT_ALWAYS("a tick of Taktos is 1 ms: configTICK_RATE_HZ is 1000", (configTICK_RATE_HZ) == 1000);
TAKTOS_ASSERT_ALWAYS("Taktos has 56 priorities for tasks: configMAX_PRIORITIES is 56 at most", (configMAX_PRIORITIES) <= 56);
TAKTOS_ASSERT_ALWAYS("Taktos has 8 notifications a task: configTASK_NOTIFICATION_ARRAY_ENTRIES is 8 at most",
                     (configTASK_NOTIFICATION_ARRAY_ENTRIES) <= 8);

#define portTICK_PERIOD_MS ((TickType_t)1)
#define portTICK_RATE_MS portTICK_PERIOD_MS
#ifndef pdMS_TO_TICKS
#define pdMS_TO_TICKS(milliseconds) ((TickType_t)(milliseconds))
#endif
#ifndef pdTICKS_TO_MS
#define pdTICKS_TO_MS(ticks) ((TickType_t)(ticks))
#endif

/* ---- Memory that a program gives ---- */

typedef struct {
#if defined(__ARM_ARCH_7EM__)
    /* Programs have one on a small stack, too: a thread with its guard is larger, and lies in the heap. */
    void *words[20];
#else
    void *words[TAKTOS_THREAD_CB_SIZE / sizeof(void *)];
#endif
    void *of_task[30];
} StaticTask_t;
typedef struct { void *words[32]; } StaticQueue_t;
typedef StaticQueue_t StaticSemaphore_t;
typedef struct { void *words[TAKTOS_TIMER_CB_SIZE / sizeof(void *)]; } StaticTimer_t;
typedef struct { void *words[TAKTOS_EVENT_FLAGS_CB_SIZE / sizeof(void *)]; } StaticEventGroup_t;
typedef struct { void *words[24]; } StaticStreamBuffer_t;

void *pvPortMalloc(size_t size);
void vPortFree(void *block);
/* In blocks of whatever size. */
size_t xPortGetFreeHeapSize(void);
size_t xPortGetMinimumEverFreeHeapSize(void);

/* ---- Critical sections, which nest ---- */

void vPortEnterCritical(void);
void vPortExitCritical(void);

#define portENTER_CRITICAL() vPortEnterCritical()
#define portEXIT_CRITICAL() vPortExitCritical()
#define portDISABLE_INTERRUPTS() vPortEnterCritical()
#define portENABLE_INTERRUPTS() vPortExitCritical()
#define portSET_INTERRUPT_MASK_FROM_ISR() (vPortEnterCritical(), (UBaseType_t)0)
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(mask) ((void)(mask), vPortExitCritical())

/* Whoever a handler has woken runs when it comes back. */
#define portYIELD_FROM_ISR(is_due) ((void)(is_due))
#define portEND_SWITCHING_ISR(is_due) ((void)(is_due))
#define portYIELD() ((void)osThreadYield())

/* Makes the kernel ready for objects, if it is not yet. */
void taktos_freertos_prepare(void);

/* ---- Functions of the program's that are called of themselves, where its settings say so ---- */

#if configUSE_TICK_HOOK
void vApplicationTickHook(void);
#define TAKTOS_TICK_HOOK vApplicationTickHook
#else
#define TAKTOS_TICK_HOOK NULL
#endif
#if configUSE_IDLE_HOOK
void vApplicationIdleHook(void);
#define TAKTOS_IDLE_HOOK vApplicationIdleHook
#else
#define TAKTOS_IDLE_HOOK NULL
#endif
#if configUSE_MALLOC_FAILED_HOOK
void vApplicationMallocFailedHook(void);
#define TAKTOS_MALLOC_FAILED_HOOK vApplicationMallocFailedHook
#else
#define TAKTOS_MALLOC_FAILED_HOOK NULL
#endif
#if configCHECK_FOR_STACK_OVERFLOW
void vApplicationStackOverflowHook(TaskHandle_t task, char *name);
#define TAKTOS_STACK_OVERFLOW_HOOK vApplicationStackOverflowHook
#else
#define TAKTOS_STACK_OVERFLOW_HOOK NULL
#endif
#if configUSE_DAEMON_TASK_STARTUP_HOOK
void vApplicationDaemonTaskStartupHook(void);
#define TAKTOS_DAEMON_STARTUP_HOOK vApplicationDaemonTaskStartupHook
#else
#define TAKTOS_DAEMON_STARTUP_HOOK NULL
#endif

/* The settings that the library reads. Each file of the program has them, and the linker keeps one. */
struct taktos_freertos_configuration {
    void (*tick)(void);
    void (*idle)(void);
    void (*malloc_failed)(void);
    void (*stack_overflow)(TaskHandle_t, char *);
    void (*daemon_startup)(void);
    uint32_t hook_stack;
    uint32_t timer_priority;
    uint32_t timer_queue_length;
};
extern const struct taktos_freertos_configuration taktos_freertos_configuration __attribute__((weak));
const struct taktos_freertos_configuration taktos_freertos_configuration = {
    TAKTOS_TICK_HOOK,
    TAKTOS_IDLE_HOOK,
    TAKTOS_MALLOC_FAILED_HOOK,
    TAKTOS_STACK_OVERFLOW_HOOK,
    TAKTOS_DAEMON_STARTUP_HOOK,
    (uint32_t)((configMINIMAL_STACK_SIZE < 256 ? 256 : configMINIMAL_STACK_SIZE) * sizeof(StackType_t)),
    (uint32_t)(configTIMER_TASK_PRIORITY),
    (uint32_t)(configTIMER_QUEUE_LENGTH),
};

#ifdef __cplusplus
}
#endif

#endif /* INC_FREERTOS_H */
