/* FreeRTOS's semaphores and mutexes, as Taktos has them: see FreeRTOS.h. They are queues of
 * items without bytes. Mutexes inherit priorities along chains.
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

#define xSemaphoreCreateCountingStatic(most, initial, block) \
    taktos_freertos_queue(most, 0, queueQUEUE_TYPE_COUNTING_SEMAPHORE, initial, NULL, block)
#define xSemaphoreCreateCounting(most, initial) xSemaphoreCreateCountingStatic(most, initial, NULL)
#define xSemaphoreCreateBinaryStatic(block) \
    taktos_freertos_queue(1, 0, queueQUEUE_TYPE_BINARY_SEMAPHORE, 0, NULL, block)
#define xSemaphoreCreateBinary() xSemaphoreCreateBinaryStatic(NULL)
#define xSemaphoreCreateMutexStatic(block) taktos_freertos_queue(1, 0, queueQUEUE_TYPE_MUTEX, 1, NULL, block)
#define xSemaphoreCreateMutex() xSemaphoreCreateMutexStatic(NULL)
#define xSemaphoreCreateRecursiveMutexStatic(block) \
    taktos_freertos_queue(1, 0, queueQUEUE_TYPE_RECURSIVE_MUTEX, 1, NULL, block)
#define xSemaphoreCreateRecursiveMutex() xSemaphoreCreateRecursiveMutexStatic(NULL)
/* A binary semaphore that can be taken at once. */
#define vSemaphoreCreateBinary(semaphore) \
    ((void)((semaphore) = taktos_freertos_queue(1, 0, queueQUEUE_TYPE_BINARY_SEMAPHORE, 1, NULL, NULL)))

#define xSemaphoreTake(semaphore, ticks) xQueueReceive(semaphore, NULL, ticks)
#define xSemaphoreGive(semaphore) xQueueGenericSend(semaphore, NULL, 0, queueSEND_TO_BACK)
#define xSemaphoreTakeRecursive(mutex, ticks) xSemaphoreTake(mutex, ticks)
#define xSemaphoreGiveRecursive(mutex) xSemaphoreGive(mutex)
#define xSemaphoreGiveFromISR(semaphore, woken) xQueueGenericSendFromISR(semaphore, NULL, woken, queueSEND_TO_BACK)
#define xSemaphoreTakeFromISR(semaphore, woken) xQueueReceiveFromISR(semaphore, NULL, woken)
#define uxSemaphoreGetCount(semaphore) uxQueueMessagesWaiting(semaphore)
#define uxSemaphoreGetCountFromISR(semaphore) uxQueueMessagesWaiting(semaphore)
#define xSemaphoreGetMutexHolder(mutex) xQueueGetMutexHolder(mutex)
#define xSemaphoreGetMutexHolderFromISR(mutex) xQueueGetMutexHolder(mutex)
#define vSemaphoreDelete(semaphore) vQueueDelete(semaphore)

#ifdef __cplusplus
}
#endif

#endif /* SEMAPHORE_H */
