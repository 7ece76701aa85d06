/* FreeRTOS's stream buffers, as Taktos has them: see FreeRTOS.h. One writer and one reader at a time.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef STREAM_BUFFER_H
#define STREAM_BUFFER_H

#include "FreeRTOS.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct StreamBufferDef_t *StreamBufferHandle_t;

/* The ring has room for a byte less than its size. */
StreamBufferHandle_t taktos_freertos_stream(size_t size, size_t trigger, BaseType_t is_of_messages, uint8_t *ring,
                                            StaticStreamBuffer_t *block);
#define xStreamBufferCreate(size, trigger) taktos_freertos_stream((size) + 1, trigger, pdFALSE, NULL, NULL)
#define xStreamBufferCreateStatic(size, trigger, ring, block) taktos_freertos_stream(size, trigger, pdFALSE, ring, block)
void vStreamBufferDelete(StreamBufferHandle_t buffer);

size_t xStreamBufferSend(StreamBufferHandle_t buffer, const void *bytes, size_t count, TickType_t ticks);
size_t xStreamBufferReceive(StreamBufferHandle_t buffer, void *bytes, size_t room, TickType_t ticks);

/* `woken` is left as it is: whoever is woken runs when the handler comes back. */
static inline size_t xStreamBufferSendFromISR(StreamBufferHandle_t buffer, const void *bytes, size_t count, BaseType_t *woken)
{
    (void)woken;
    return xStreamBufferSend(buffer, bytes, count, 0);
}

static inline size_t xStreamBufferReceiveFromISR(StreamBufferHandle_t buffer, void *bytes, size_t room, BaseType_t *woken)
{
    (void)woken;
    return xStreamBufferReceive(buffer, bytes, room, 0);
}

size_t xStreamBufferBytesAvailable(StreamBufferHandle_t buffer);
size_t xStreamBufferSpacesAvailable(StreamBufferHandle_t buffer);
size_t xStreamBufferNextMessageLengthBytes(StreamBufferHandle_t buffer);
BaseType_t xStreamBufferSetTriggerLevel(StreamBufferHandle_t buffer, size_t trigger);
BaseType_t xStreamBufferReset(StreamBufferHandle_t buffer);
#define xStreamBufferResetFromISR(buffer) xStreamBufferReset(buffer)

/* Wakes the reader that waits (1), or the writer (2), which looks again. A call that writes or reads does so of itself. */
BaseType_t taktos_freertos_stream_wake(StreamBufferHandle_t buffer, uint32_t whom);
#define xStreamBufferSendCompletedFromISR(buffer, woken) ((void)(woken), taktos_freertos_stream_wake(buffer, 1))
#define xStreamBufferReceiveCompletedFromISR(buffer, woken) ((void)(woken), taktos_freertos_stream_wake(buffer, 2))
#define xStreamBufferIsEmpty(buffer) (xStreamBufferBytesAvailable(buffer) == 0 ? pdTRUE : pdFALSE)
#define xStreamBufferIsFull(buffer) (xStreamBufferSpacesAvailable(buffer) == 0 ? pdTRUE : pdFALSE)

#ifdef __cplusplus
}
#endif

#endif /* STREAM_BUFFER_H */
