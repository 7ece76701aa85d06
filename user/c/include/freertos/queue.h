/* FreeRTOS's queues and sets of them, as Taktos has them: see FreeRTOS.h.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef QUEUE_H
#define QUEUE_H

#include "FreeRTOS.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct QueueDefinition *QueueHandle_t;
typedef QueueHandle_t QueueSetHandle_t;
typedef QueueHandle_t QueueSetMemberHandle_t;

#define queueSEND_TO_BACK ((BaseType_t)0)
#define queueSEND_TO_FRONT ((BaseType_t)1)
#define queueOVERWRITE ((BaseType_t)2)

/* The purposes of a queue. */
#define queueQUEUE_TYPE_BASE 0
#define queueQUEUE_TYPE_SET 0
#define queueQUEUE_TYPE_MUTEX 1
#define queueQUEUE_TYPE_COUNTING_SEMAPHORE 2
#define queueQUEUE_TYPE_BINARY_SEMAPHORE 3
#define queueQUEUE_TYPE_RECURSIVE_MUTEX 4

/* `count` items are there from the start, of a semaphore. Null memory comes from the heap. */
QueueHandle_t taktos_freertos_queue(UBaseType_t length, UBaseType_t size, int kind, UBaseType_t count, uint8_t *storage,
                                    StaticQueue_t *block);
#define xQueueCreate(length, size) taktos_freertos_queue(length, size, queueQUEUE_TYPE_BASE, 0, NULL, NULL)
#define xQueueCreateStatic(length, size, storage, block) \
    taktos_freertos_queue(length, size, queueQUEUE_TYPE_BASE, 0, storage, block)

BaseType_t xQueueGenericSend(QueueHandle_t queue, const void *item, TickType_t ticks, BaseType_t position);
BaseType_t xQueueReceive(QueueHandle_t queue, void *item, TickType_t ticks);
BaseType_t xQueuePeek(QueueHandle_t queue, void *item, TickType_t ticks);
BaseType_t xQueueReset(QueueHandle_t queue);
void vQueueDelete(QueueHandle_t queue);
UBaseType_t uxQueueMessagesWaiting(QueueHandle_t queue);
UBaseType_t uxQueueSpacesAvailable(QueueHandle_t queue);
TaskHandle_t xQueueGetMutexHolder(QueueHandle_t mutex);

/* `woken` is left as it is: whoever is woken runs when the handler comes back. */
static inline BaseType_t xQueueGenericSendFromISR(QueueHandle_t queue, const void *item, BaseType_t *woken, BaseType_t position)
{
    (void)woken;
    return xQueueGenericSend(queue, item, 0, position);
}

static inline BaseType_t xQueueReceiveFromISR(QueueHandle_t queue, void *item, BaseType_t *woken)
{
    (void)woken;
    return xQueueReceive(queue, item, 0);
}

#define xQueueSend(queue, item, ticks) xQueueGenericSend(queue, item, ticks, queueSEND_TO_BACK)
#define xQueueSendToBack(queue, item, ticks) xQueueGenericSend(queue, item, ticks, queueSEND_TO_BACK)
#define xQueueSendToFront(queue, item, ticks) xQueueGenericSend(queue, item, ticks, queueSEND_TO_FRONT)
#define xQueueOverwrite(queue, item) xQueueGenericSend(queue, item, 0, queueOVERWRITE)
#define xQueueSendFromISR(queue, item, woken) xQueueGenericSendFromISR(queue, item, woken, queueSEND_TO_BACK)
#define xQueueSendToBackFromISR(queue, item, woken) xQueueGenericSendFromISR(queue, item, woken, queueSEND_TO_BACK)
#define xQueueSendToFrontFromISR(queue, item, woken) xQueueGenericSendFromISR(queue, item, woken, queueSEND_TO_FRONT)
#define xQueueOverwriteFromISR(queue, item, woken) xQueueGenericSendFromISR(queue, item, woken, queueOVERWRITE)
#define xQueuePeekFromISR(queue, item) xQueuePeek(queue, item, 0)

#define uxQueueMessagesWaitingFromISR(queue) uxQueueMessagesWaiting(queue)
#define xQueueIsQueueEmptyFromISR(queue) ((BaseType_t)(uxQueueMessagesWaiting(queue) == 0))
#define xQueueIsQueueFullFromISR(queue) ((BaseType_t)(uxQueueSpacesAvailable(queue) == 0))

/* ---- Sets: queues whose items are members that have one ---- */

BaseType_t xQueueAddToSet(QueueSetMemberHandle_t member, QueueSetHandle_t set);
BaseType_t xQueueRemoveFromSet(QueueSetMemberHandle_t member, QueueSetHandle_t set);
QueueSetMemberHandle_t xQueueSelectFromSet(QueueSetHandle_t set, TickType_t ticks);
#define xQueueSelectFromSetFromISR(set) xQueueSelectFromSet(set, 0)
#define xQueueCreateSet(length) \
    taktos_freertos_queue(length, sizeof(QueueSetMemberHandle_t), queueQUEUE_TYPE_SET, 0, NULL, NULL)
#define xQueueCreateSetStatic(length, storage, block) \
    taktos_freertos_queue(length, sizeof(QueueSetMemberHandle_t), queueQUEUE_TYPE_SET, 0, storage, block)

/* For debuggers that know FreeRTOS's lists, which are not there. */
#define vQueueAddToRegistry(queue, name) ((void)(queue), (void)(name))
#define vQueueUnregisterQueue(queue) ((void)(queue))

#ifdef __cplusplus
}
#endif

#endif /* QUEUE_H */
