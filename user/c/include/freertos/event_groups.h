/* FreeRTOS's event groups, as Taktos has them: see FreeRTOS.h. They have 24 bits.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef EVENT_GROUPS_H
#define EVENT_GROUPS_H

#include "timers.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct EventGroupDef_t *EventGroupHandle_t;
typedef TickType_t EventBits_t;

static inline EventGroupHandle_t taktos_event_group(StaticEventGroup_t *block)
{
    osEventFlagsAttr_t attributes = TAKTOS_NO_ATTRIBUTES;

    taktos_freertos_prepare();
    attributes.cb_mem = block;
    attributes.cb_size = block != NULL ? sizeof(StaticEventGroup_t) : 0;
    return (EventGroupHandle_t)osEventFlagsNew(&attributes);
}

#define xEventGroupCreate() taktos_event_group(NULL)
#define xEventGroupCreateStatic(block) taktos_event_group(block)

static inline EventBits_t xEventGroupGetBits(EventGroupHandle_t group) { return osEventFlagsGet((osEventFlagsId_t)group); }

/* The bits then; those before where they could not be changed. */
static inline EventBits_t taktos_bits(EventGroupHandle_t group, uint32_t result)
{
    return (result & osFlagsError) != 0 ? xEventGroupGetBits(group) : result;
}

static inline EventBits_t xEventGroupSetBits(EventGroupHandle_t group, EventBits_t bits)
{
    return taktos_bits(group, osEventFlagsSet((osEventFlagsId_t)group, bits));
}

static inline EventBits_t xEventGroupClearBits(EventGroupHandle_t group, EventBits_t bits)
{
    return taktos_bits(group, osEventFlagsClear((osEventFlagsId_t)group, bits));
}

/* The bits by which the wait ended, before any of them is cleared; those of the moment where the time has passed. */
static inline EventBits_t xEventGroupWaitBits(EventGroupHandle_t group, EventBits_t bits, BaseType_t clears, BaseType_t all,
                                              TickType_t ticks)
{
    uint32_t options = (all != pdFALSE ? osFlagsWaitAll : osFlagsWaitAny) | (clears != pdFALSE ? 0 : osFlagsNoClear);

    return taktos_bits(group, osEventFlagsWait((osEventFlagsId_t)group, bits, options, ticks));
}

/* Sets `bits`, and waits for all of `awaited` and clears these, in one step; otherwise as xEventGroupWaitBits. */
uint32_t taktos_freertos_sync(osEventFlagsId_t group, uint32_t bits, uint32_t awaited, uint32_t ticks);

static inline EventBits_t xEventGroupSync(EventGroupHandle_t group, EventBits_t bits, EventBits_t awaited, TickType_t ticks)
{
    return taktos_bits(group, taktos_freertos_sync((osEventFlagsId_t)group, bits, awaited, ticks));
}

static inline BaseType_t xEventGroupSetBitsFromISR(EventGroupHandle_t group, EventBits_t bits, BaseType_t *woken)
{
    (void)woken;
    return (osEventFlagsSet((osEventFlagsId_t)group, bits) & osFlagsError) != 0 ? pdFAIL : pdPASS;
}

/* Whether the bits were cleared; they are when it comes back. */
static inline BaseType_t xEventGroupClearBitsFromISR(EventGroupHandle_t group, EventBits_t bits)
{
    return (osEventFlagsClear((osEventFlagsId_t)group, bits) & osFlagsError) != 0 ? pdFAIL : pdPASS;
}

#define xEventGroupGetBitsFromISR(group) xEventGroupGetBits(group)

static inline void vEventGroupDelete(EventGroupHandle_t group) { (void)osEventFlagsDelete((osEventFlagsId_t)group); }

#ifdef __cplusplus
}
#endif

#endif /* EVENT_GROUPS_H */
