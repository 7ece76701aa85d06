/* FreeRTOS's semaphores and mutexes, as Taktos has them: see FreeRTOS.h. Mutexes inherit priorities along chains.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef SEMAPHORE_H
#define SEMAPHORE_H

#include "queue.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef QueueHandle_t SemaphoreHandle_t;

static inline SemaphoreHandle_t taktos_semaphore(UBaseType_t most, UBaseType_t initial, StaticSemaphore_t *block)
{
    osSemaphoreAttr_t attributes = TAKTOS_NO_ATTRIBUTES;

    taktos_freertos_prepare();
    attributes.cb_mem = block;
    attributes.cb_size = block != NULL ? sizeof(StaticSemaphore_t) : 0;
    return (SemaphoreHandle_t)osSemaphoreNew((uint32_t)most, (uint32_t)initial, &attributes);
}

static inline SemaphoreHandle_t taktos_mutex(uint32_t bits, StaticSemaphore_t *block)
{
    osMutexAttr_t attributes = TAKTOS_NO_ATTRIBUTES;

    taktos_freertos_prepare();
    attributes.attr_bits = bits | osMutexPrioInherit;
    attributes.cb_mem = block;
    attributes.cb_size = block != NULL ? sizeof(StaticSemaphore_t) : 0;
    return (SemaphoreHandle_t)osMutexNew(&attributes);
}

#define xSemaphoreCreateBinary() taktos_semaphore(1, 0, NULL)
#define xSemaphoreCreateBinaryStatic(block) taktos_semaphore(1, 0, block)
#define xSemaphoreCreateCounting(most, initial) taktos_semaphore(most, initial, NULL)
#define xSemaphoreCreateCountingStatic(most, initial, block) taktos_semaphore(most, initial, block)
#define xSemaphoreCreateMutex() taktos_mutex(0, NULL)
#define xSemaphoreCreateMutexStatic(block) taktos_mutex(0, block)
#define xSemaphoreCreateRecursiveMutex() taktos_mutex(osMutexRecursive, NULL)
#define xSemaphoreCreateRecursiveMutexStatic(block) taktos_mutex(osMutexRecursive, block)

/* A mutex is no semaphore here, and is found by being none. */
static inline BaseType_t xSemaphoreTake(SemaphoreHandle_t semaphore, TickType_t ticks)
{
    osStatus_t status = osSemaphoreAcquire((osSemaphoreId_t)semaphore, ticks);

    if (status == osErrorParameter) {
        status = osMutexAcquire((osMutexId_t)semaphore, ticks);
    }
    return status == osOK ? pdTRUE : pdFALSE;
}

static inline BaseType_t xSemaphoreGive(SemaphoreHandle_t semaphore)
{
    osStatus_t status = osSemaphoreRelease((osSemaphoreId_t)semaphore);

    if (status == osErrorParameter) {
        status = osMutexRelease((osMutexId_t)semaphore);
    }
    return status == osOK ? pdTRUE : pdFALSE;
}

#define xSemaphoreTakeRecursive(mutex, ticks) xSemaphoreTake(mutex, ticks)
#define xSemaphoreGiveRecursive(mutex) xSemaphoreGive(mutex)

/* `woken` is left as it is: whoever is woken runs when the handler comes back. */
static inline BaseType_t xSemaphoreGiveFromISR(SemaphoreHandle_t semaphore, BaseType_t *woken)
{
    (void)woken;
    return osSemaphoreRelease((osSemaphoreId_t)semaphore) == osOK ? pdTRUE : pdFALSE;
}

static inline BaseType_t xSemaphoreTakeFromISR(SemaphoreHandle_t semaphore, BaseType_t *woken)
{
    (void)woken;
    return osSemaphoreAcquire((osSemaphoreId_t)semaphore, 0) == osOK ? pdTRUE : pdFALSE;
}

static inline UBaseType_t uxSemaphoreGetCount(SemaphoreHandle_t semaphore) { return osSemaphoreGetCount((osSemaphoreId_t)semaphore); }
#define uxSemaphoreGetCountFromISR(semaphore) uxSemaphoreGetCount(semaphore)

static inline TaskHandle_t xSemaphoreGetMutexHolder(SemaphoreHandle_t mutex)
{
    return (TaskHandle_t)osMutexGetOwner((osMutexId_t)mutex);
}

static inline void vSemaphoreDelete(SemaphoreHandle_t semaphore)
{
    if (osSemaphoreDelete((osSemaphoreId_t)semaphore) == osErrorParameter) {
        (void)osMutexDelete((osMutexId_t)semaphore);
    }
}

#ifdef __cplusplus
}
#endif

#endif /* SEMAPHORE_H */
