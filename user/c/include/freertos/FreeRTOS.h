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
#endif
#if defined(configTASK_NOTIFICATION_ARRAY_ENTRIES) && configTASK_NOTIFICATION_ARRAY_ENTRIES > 1
#error "Taktos has one notification a task: configTASK_NOTIFICATION_ARRAY_ENTRIES is 1 at most"
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

#define portTICK_PERIOD_MS ((TickType_t)1)
#ifndef pdMS_TO_TICKS
#define pdMS_TO_TICKS(milliseconds) ((TickType_t)(milliseconds))
#endif
#ifndef pdTICKS_TO_MS
#define pdTICKS_TO_MS(ticks) ((TickType_t)(ticks))
#endif

/* ---- Memory that a program gives ---- */

typedef struct { void *words[TAKTOS_THREAD_CB_SIZE / sizeof(void *)]; } StaticTask_t;
typedef struct { void *words[TAKTOS_MESSAGE_QUEUE_CB_SIZE / sizeof(void *)]; } StaticQueue_t;
typedef struct { void *words[TAKTOS_MUTEX_CB_SIZE / sizeof(void *)]; } StaticSemaphore_t;
typedef struct { void *words[TAKTOS_TIMER_CB_SIZE / sizeof(void *)]; } StaticTimer_t;
typedef struct { void *words[TAKTOS_EVENT_FLAGS_CB_SIZE / sizeof(void *)]; } StaticEventGroup_t;
typedef struct { void *words[24]; } StaticStreamBuffer_t;

void *pvPortMalloc(size_t size);
void vPortFree(void *block);

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

#ifdef __cplusplus
}
#endif

#endif /* INC_FREERTOS_H */
