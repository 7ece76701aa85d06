/* FreeRTOS's timers, as Taktos has them: see FreeRTOS.h. A command takes effect at once: it waits for nothing, so its time-out is never used.
 * Functions are called in a task of the priority 39.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TIMERS_H
#define TIMERS_H

#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tmrTimerControl *TimerHandle_t;
typedef void (*TimerCallbackFunction_t)(TimerHandle_t);

TimerHandle_t taktos_freertos_timer(const char *name, TickType_t period, BaseType_t reloads, void *of_program,
                                    TimerCallbackFunction_t function, void *block, uint32_t size);
BaseType_t xTimerReset(TimerHandle_t timer);
BaseType_t xTimerStop(TimerHandle_t timer);
BaseType_t xTimerChangePeriod(TimerHandle_t timer, TickType_t period);
BaseType_t xTimerDelete(TimerHandle_t timer);
BaseType_t xTimerIsTimerActive(TimerHandle_t timer);
void *pvTimerGetTimerID(TimerHandle_t timer);
void vTimerSetTimerID(TimerHandle_t timer, void *of_program);
TickType_t xTimerGetPeriod(TimerHandle_t timer);
TickType_t xTimerGetExpiryTime(TimerHandle_t timer);
BaseType_t xTimerGetReloadMode(TimerHandle_t timer);
static inline UBaseType_t uxTimerGetReloadMode(TimerHandle_t timer) { return (UBaseType_t)xTimerGetReloadMode(timer); }
void vTimerSetReloadMode(TimerHandle_t timer, BaseType_t reloads);

#define xTimerCreate(name, period, reloads, id, function) taktos_freertos_timer(name, period, reloads, id, function, NULL, 0)
#define xTimerCreateStatic(name, period, reloads, id, function, block) \
    taktos_freertos_timer(name, period, reloads, id, function, block, sizeof(StaticTimer_t))

#define xTimerStart(timer, ticks) ((void)(ticks), (xTimerReset)(timer))
#define xTimerReset(timer, ticks) ((void)(ticks), (xTimerReset)(timer))
#define xTimerStop(timer, ticks) ((void)(ticks), (xTimerStop)(timer))
#define xTimerChangePeriod(timer, period, ticks) ((void)(ticks), (xTimerChangePeriod)(timer, period))
#define xTimerDelete(timer, ticks) ((void)(ticks), (xTimerDelete)(timer))

/* `woken` is left as it is: whoever is woken runs when the handler comes back. */
#define xTimerStartFromISR(timer, woken) ((void)(woken), (xTimerReset)(timer))
#define xTimerResetFromISR(timer, woken) ((void)(woken), (xTimerReset)(timer))
#define xTimerStopFromISR(timer, woken) ((void)(woken), (xTimerStop)(timer))
#define xTimerChangePeriodFromISR(timer, period, woken) ((void)(woken), (xTimerChangePeriod)(timer, period))

/* Functions that the same task calls. */
typedef void (*PendedFunction_t)(void *, uint32_t);
BaseType_t taktos_freertos_pend(PendedFunction_t function, void *first, uint32_t second);
#define xTimerPendFunctionCall(function, first, second, ticks) ((void)(ticks), taktos_freertos_pend(function, first, second))
#define xTimerPendFunctionCallFromISR(function, first, second, woken) ((void)(woken), taktos_freertos_pend(function, first, second))
static inline TaskHandle_t xTimerGetTimerDaemonTaskHandle(void) { return xTaskGetHandle("timers"); }

static inline const char *pcTimerGetName(TimerHandle_t timer) { return osTimerGetName((osTimerId_t)timer); }

#ifdef __cplusplus
}
#endif

#endif /* TIMERS_H */
