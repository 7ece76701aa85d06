/* FreeRTOS's message buffers, as Taktos has them: see FreeRTOS.h. One writer and one reader at a time; a message takes the room of a size_t
 * besides.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef FREERTOS_MESSAGE_BUFFER_H
#define FREERTOS_MESSAGE_BUFFER_H

#include "stream_buffer.h"

typedef StreamBufferHandle_t MessageBufferHandle_t;
typedef StaticStreamBuffer_t StaticMessageBuffer_t;

#define xMessageBufferCreate(size) taktos_freertos_stream((size) + 1, 0, pdTRUE, NULL, NULL)
#define xMessageBufferCreateStatic(size, ring, block) taktos_freertos_stream(size, 0, pdTRUE, ring, block)
#define vMessageBufferDelete(buffer) vStreamBufferDelete(buffer)
#define xMessageBufferSend(buffer, message, length, ticks) xStreamBufferSend(buffer, message, length, ticks)
#define xMessageBufferSendFromISR(buffer, message, length, woken) xStreamBufferSendFromISR(buffer, message, length, woken)
#define xMessageBufferReceive(buffer, message, room, ticks) xStreamBufferReceive(buffer, message, room, ticks)
#define xMessageBufferReceiveFromISR(buffer, message, room, woken) xStreamBufferReceiveFromISR(buffer, message, room, woken)
#define xMessageBufferNextLengthBytes(buffer) xStreamBufferNextMessageLengthBytes(buffer)
#define xMessageBufferSpacesAvailable(buffer) xStreamBufferSpacesAvailable(buffer)
#define xMessageBufferSpaceAvailable(buffer) xStreamBufferSpacesAvailable(buffer)
#define xMessageBufferIsEmpty(buffer) xStreamBufferIsEmpty(buffer)
/* Whether not even a message of a byte has room. */
#define xMessageBufferIsFull(buffer) (xStreamBufferSpacesAvailable(buffer) <= sizeof(size_t) ? pdTRUE : pdFALSE)
#define xMessageBufferReset(buffer) xStreamBufferReset(buffer)
#define xMessageBufferResetFromISR(buffer) xStreamBufferReset(buffer)
#define xMessageBufferSendCompletedFromISR(buffer, woken) xStreamBufferSendCompletedFromISR(buffer, woken)
#define xMessageBufferReceiveCompletedFromISR(buffer, woken) xStreamBufferReceiveCompletedFromISR(buffer, woken)

#endif /* FREERTOS_MESSAGE_BUFFER_H */
