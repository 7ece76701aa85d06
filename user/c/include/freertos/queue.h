/* FreeRTOS's queues, as Taktos has them: see FreeRTOS.h. Queue sets are not there.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef QUEUE_H
#define QUEUE_H

#include "FreeRTOS.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct QueueDefinition *QueueHandle_t;

#define queueSEND_TO_BACK ((BaseType_t)0)
#define queueSEND_TO_FRONT ((BaseType_t)1)
#define queueOVERWRITE ((BaseType_t)2)

/* Items have a byte or more. Their memory comes from the heap. */
static inline QueueHandle_t taktos_queue(UBaseType_t length, UBaseType_t size, StaticQueue_t *block)
{
    osMessageQueueAttr_t attributes = TAKTOS_NO_ATTRIBUTES;

    taktos_freertos_prepare();
    attributes.cb_mem = block;
    attributes.cb_size = block != NULL ? sizeof(StaticQueue_t) : 0;
    return (QueueHandle_t)osMessageQueueNew((uint32_t)length, (uint32_t)size, &attributes);
}

#define xQueueCreate(length, size) taktos_queue(length, size, NULL)
#define xQueueCreateStatic(length, size, storage, block) ((void)(storage), taktos_queue(length, size, block))

BaseType_t xQueueGenericSend(QueueHandle_t queue, const void *item, TickType_t ticks, BaseType_t position);
BaseType_t xQueuePeek(QueueHandle_t queue, void *item, TickType_t ticks);

static inline BaseType_t xQueueReceive(QueueHandle_t queue, void *item, TickType_t ticks)
{
    return osMessageQueueGet((osMessageQueueId_t)queue, item, NULL, ticks) == osOK ? pdTRUE : pdFALSE;
}

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

static inline UBaseType_t uxQueueMessagesWaiting(QueueHandle_t queue) { return osMessageQueueGetCount((osMessageQueueId_t)queue); }
static inline UBaseType_t uxQueueSpacesAvailable(QueueHandle_t queue) { return osMessageQueueGetSpace((osMessageQueueId_t)queue); }
#define uxQueueMessagesWaitingFromISR(queue) uxQueueMessagesWaiting(queue)
#define xQueueIsQueueEmptyFromISR(queue) ((BaseType_t)(uxQueueMessagesWaiting(queue) == 0))
#define xQueueIsQueueFullFromISR(queue) ((BaseType_t)(uxQueueSpacesAvailable(queue) == 0))

static inline BaseType_t xQueueReset(QueueHandle_t queue)
{
    return osMessageQueueReset((osMessageQueueId_t)queue) == osOK ? pdPASS : pdFAIL;
}

static inline void vQueueDelete(QueueHandle_t queue) { (void)osMessageQueueDelete((osMessageQueueId_t)queue); }

/* For debuggers that know FreeRTOS's lists, which are not there. */
#define vQueueAddToRegistry(queue, name) ((void)(queue), (void)(name))
#define vQueueUnregisterQueue(queue) ((void)(queue))

#ifdef __cplusplus
}
#endif

#endif /* QUEUE_H */
