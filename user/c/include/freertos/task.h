/* FreeRTOS's tasks and notifications, as Taktos has them: see FreeRTOS.h.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef INC_TASK_H
#define INC_TASK_H

#include "FreeRTOS.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { eRunning = 0, eReady, eBlocked, eSuspended, eDeleted, eInvalid } eTaskState;
typedef enum {
    eNoAction = 0,
    eSetBits,
    eIncrement,
    eSetValueWithOverwrite,
    eSetValueWithoutOverwrite
} eNotifyAction;

#define tskIDLE_PRIORITY ((UBaseType_t)0)
#define taskSCHEDULER_SUSPENDED ((BaseType_t)0)
#define taskSCHEDULER_NOT_STARTED ((BaseType_t)1)
#define taskSCHEDULER_RUNNING ((BaseType_t)2)

/* ---- Tasks ---- */

static inline osPriority_t taktos_priority(UBaseType_t priority)
{
    return (osPriority_t)((priority < configMAX_PRIORITIES ? priority : configMAX_PRIORITIES - 1) + 1);
}

TaskHandle_t taktos_freertos_task(TaskFunction_t code, void *parameter, const osThreadAttr_t *attributes, void *of_task);

static inline TaskHandle_t taktos_task(TaskFunction_t code, const char *name, uint32_t size, void *parameter,
                                       UBaseType_t priority, void *stack, StaticTask_t *block)
{
    osThreadAttr_t attributes = TAKTOS_NO_ATTRIBUTES;

    attributes.name = name;
    attributes.stack_mem = stack;
    attributes.stack_size = size;
    attributes.priority = taktos_priority(priority);
    attributes.cb_mem = block;
    attributes.cb_size = block != NULL ? sizeof block->words : 0;
    return taktos_freertos_task(code, parameter, &attributes, block != NULL ? block->of_task : NULL);
}

/* The stack's depth is in words. The name stays the program's: it is not copied. A task may come back from its function. */
static inline BaseType_t xTaskCreate(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE depth, void *parameter,
                                     UBaseType_t priority, TaskHandle_t *created)
{
    TaskHandle_t task = taktos_task(code, name, (uint32_t)(depth * sizeof(StackType_t)), parameter, priority, NULL, NULL);

    if (created != NULL) {
        *created = task;
    }
    return task != NULL ? pdPASS : errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY;
}

static inline TaskHandle_t xTaskCreateStatic(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE depth, void *parameter,
                                             UBaseType_t priority, StackType_t *stack, StaticTask_t *block)
{
    if (stack == NULL || block == NULL) {
        return NULL;
    }
    return taktos_task(code, name, (uint32_t)(depth * sizeof(StackType_t)), parameter, priority, stack, block);
}

static inline TaskHandle_t xTaskGetCurrentTaskHandle(void) { return (TaskHandle_t)osThreadGetId(); }

static inline osThreadId_t taktos_task_or_self(TaskHandle_t task) { return task != NULL ? (osThreadId_t)task : osThreadGetId(); }

static inline void vTaskDelete(TaskHandle_t task)
{
    if (task == NULL || task == xTaskGetCurrentTaskHandle()) {
        osThreadExit();
    }
    (void)osThreadTerminate((osThreadId_t)task);
}

static inline void vTaskDelay(TickType_t ticks) { (void)(ticks == 0 ? osThreadYield() : osDelay(ticks)); }

static inline BaseType_t xTaskDelayUntil(TickType_t *previous, TickType_t increment)
{
    *previous += increment;
    return osDelayUntil(*previous) == osOK ? pdTRUE : pdFALSE;
}

#define vTaskDelayUntil(previous, increment) ((void)xTaskDelayUntil(previous, increment))

BaseType_t xTaskResumeFromISR(TaskHandle_t task);
void vTaskSuspend(TaskHandle_t task);
static inline void vTaskResume(TaskHandle_t task) { (void)xTaskResumeFromISR(task); }

static inline UBaseType_t uxTaskPriorityGet(TaskHandle_t task)
{
    return (UBaseType_t)osThreadGetPriority(taktos_task_or_self(task)) - 1;
}

static inline void vTaskPrioritySet(TaskHandle_t task, UBaseType_t priority)
{
    (void)osThreadSetPriority(taktos_task_or_self(task), taktos_priority(priority));
}

BaseType_t taktos_freertos_is_suspended(TaskHandle_t task);

static inline eTaskState eTaskGetState(TaskHandle_t task)
{
    if (taktos_freertos_is_suspended(task) != pdFALSE) {
        return eSuspended;
    }
    switch (osThreadGetState((osThreadId_t)task)) {
    case osThreadRunning:
        return eRunning;
    case osThreadReady:
        return eReady;
    case osThreadBlocked:
        return eBlocked;
    case osThreadInactive:
    case osThreadTerminated:
        return eDeleted;
    default:
        return eInvalid;
    }
}

/* Pointers of the program's that each task has of its own: of the indices 0 to 7. */
void vTaskSetThreadLocalStoragePointer(TaskHandle_t task, BaseType_t index, void *pointer);
void *pvTaskGetThreadLocalStoragePointer(TaskHandle_t task, BaseType_t index);

BaseType_t xTaskAbortDelay(TaskHandle_t task);
/* Where the machine's clock can be set. */
BaseType_t xTaskCatchUpTicks(TickType_t ticks);
TaskHandle_t xTaskGetHandle(const char *name);
static inline char *pcTaskGetName(TaskHandle_t task) { return (char *)(uintptr_t)osThreadGetName(taktos_task_or_self(task)); }
static inline UBaseType_t uxTaskGetNumberOfTasks(void) { return osThreadGetCount(); }

/* In words. */
static inline UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task)
{
    return osThreadGetStackSpace(taktos_task_or_self(task)) / sizeof(StackType_t);
}

/* ---- The scheduler ---- */

void taktos_freertos_start(uint32_t slice);
static inline void vTaskStartScheduler(void) { taktos_freertos_start(configUSE_TIME_SLICING); }

void vTaskSuspendAll(void);
BaseType_t xTaskResumeAll(void);

static inline BaseType_t xTaskGetSchedulerState(void)
{
    osKernelState_t state = osKernelGetState();

    return state == osKernelRunning ? taskSCHEDULER_RUNNING
           : state == osKernelLocked ? taskSCHEDULER_SUSPENDED
                                     : taskSCHEDULER_NOT_STARTED;
}

static inline TickType_t xTaskGetTickCount(void) { return osKernelGetTickCount(); }
static inline TickType_t xTaskGetTickCountFromISR(void) { return osKernelGetTickCount(); }

#define taskYIELD() portYIELD()
#define taskENTER_CRITICAL() portENTER_CRITICAL()
#define taskEXIT_CRITICAL() portEXIT_CRITICAL()
#define taskENTER_CRITICAL_FROM_ISR() portSET_INTERRUPT_MASK_FROM_ISR()
#define taskEXIT_CRITICAL_FROM_ISR(mask) portCLEAR_INTERRUPT_MASK_FROM_ISR(mask)
#define taskDISABLE_INTERRUPTS() portDISABLE_INTERRUPTS()
#define taskENABLE_INTERRUPTS() portENABLE_INTERRUPTS()

/* ---- Notifications: eight a task, of the indices 0 to 7 ---- */

BaseType_t xTaskGenericNotify(TaskHandle_t task, UBaseType_t index, uint32_t value, eNotifyAction action, uint32_t *previous);
uint32_t ulTaskGenericNotifyTake(UBaseType_t index, BaseType_t clears, TickType_t ticks);
BaseType_t xTaskGenericNotifyWait(UBaseType_t index, uint32_t before, uint32_t after, uint32_t *value, TickType_t ticks);
BaseType_t xTaskGenericNotifyStateClear(TaskHandle_t task, UBaseType_t index);
uint32_t ulTaskGenericNotifyValueClear(TaskHandle_t task, UBaseType_t index, uint32_t bits);

/* `woken` is left as it is: whoever is woken runs when the handler comes back. */
static inline BaseType_t taktos_notify_from_isr(TaskHandle_t task, UBaseType_t index, uint32_t value, eNotifyAction action,
                                                uint32_t *previous, BaseType_t *woken)
{
    (void)woken;
    return xTaskGenericNotify(task, index, value, action, previous);
}

#define xTaskNotifyGive(task) xTaskGenericNotify(task, 0, 0, eIncrement, NULL)
#define xTaskNotify(task, value, action) xTaskGenericNotify(task, 0, value, action, NULL)
#define xTaskNotifyAndQuery(task, value, action, previous) xTaskGenericNotify(task, 0, value, action, previous)
#define vTaskNotifyGiveFromISR(task, woken) vTaskNotifyGiveIndexedFromISR(task, 0, woken)
#define xTaskNotifyFromISR(task, value, action, woken) xTaskNotifyIndexedFromISR(task, 0, value, action, woken)
#define xTaskNotifyAndQueryFromISR(task, value, action, previous, woken) \
    xTaskNotifyAndQueryIndexedFromISR(task, 0, value, action, previous, woken)
#define vTaskNotifyGiveIndexedFromISR(task, index, woken) \
    ((void)taktos_notify_from_isr(task, index, 0, eIncrement, NULL, woken))
#define xTaskNotifyIndexedFromISR(task, index, value, action, woken) \
    taktos_notify_from_isr(task, index, value, action, NULL, woken)
#define xTaskNotifyAndQueryIndexedFromISR(task, index, value, action, previous, woken) \
    taktos_notify_from_isr(task, index, value, action, previous, woken)
#define ulTaskNotifyTake(clears, ticks) ulTaskGenericNotifyTake(0, clears, ticks)
#define xTaskNotifyWait(before, after, value, ticks) xTaskGenericNotifyWait(0, before, after, value, ticks)
#define xTaskNotifyStateClear(task) xTaskGenericNotifyStateClear(task, 0)
#define ulTaskNotifyValueClear(task, bits) ulTaskGenericNotifyValueClear(task, 0, bits)
#define xTaskNotifyGiveIndexed(task, index) xTaskGenericNotify(task, index, 0, eIncrement, NULL)
#define xTaskNotifyIndexed(task, index, value, action) xTaskGenericNotify(task, index, value, action, NULL)
#define xTaskNotifyAndQueryIndexed(task, index, value, action, previous) xTaskGenericNotify(task, index, value, action, previous)
#define ulTaskNotifyTakeIndexed(index, clears, ticks) ulTaskGenericNotifyTake(index, clears, ticks)
#define xTaskNotifyWaitIndexed(index, before, after, value, ticks) xTaskGenericNotifyWait(index, before, after, value, ticks)
#define xTaskNotifyStateClearIndexed(task, index) xTaskGenericNotifyStateClear(task, index)
#define ulTaskNotifyValueClearIndexed(task, index, bits) ulTaskGenericNotifyValueClear(task, index, bits)

#ifdef __cplusplus
}
#endif

#endif /* INC_TASK_H */
