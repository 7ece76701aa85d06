/* FreeRTOS's calls: what each gives back in a task and in a handler, and what programs rely on beside: items that stay in their queue until their
 * receiver takes them, turns, inheritance, waits that a suspension ends.
 * Owns: the cases. Must never know: the board, but for an interrupt that no device has. */
/* The settings that FreeRTOSConfig.h would make. */
#define configTASK_NOTIFICATION_ARRAY_ENTRIES 3
#define configTIMER_QUEUE_LENGTH 2

#include "FreeRTOS.h"
#include "event_groups.h"
#include "message_buffer.h"
#include "queue.h"
#include "semphr.h"
#include "stream_buffer.h"
#include "task.h"
#include "timers.h"

#include "check.h"

#define DEPTH 512
#define IN_TASK(expression, expected) compare(#expression, "", (long)(expression), (long)(expected))

static TaskHandle_t self, helper, early;
static QueueHandle_t queue;
static SemaphoreHandle_t done, mutex;
static TimerHandle_t timer;
static EventGroupHandle_t group;
static volatile uint32_t seen;
static volatile BaseType_t answer;
static int value, place;
static BaseType_t woken;

/* Starts a helper, which is above its maker and so runs at once. */
static void start(TaskFunction_t code, UBaseType_t priority)
{
    compare("xTaskCreate", "", xTaskCreate(code, "helper", DEPTH, NULL, priority, &helper), pdPASS);
}

static int lies_in(const void *object, const void *block, size_t size)
{
    return (uintptr_t)object - (uintptr_t)block < size;
}

static void suspend_itself(void *unused)
{
    (void)unused;
    for (;;) {
        seen++;
        vTaskSuspend(NULL);
    }
}

static void sleep_for_ever(void *unused)
{
    (void)unused;
    vTaskDelay(portMAX_DELAY);
}

static void come_back(void *unused)
{
    (void)unused;
    seen = 7;
}

static void tasks(int row)
{
    static StaticTask_t block;
    static StackType_t stack[DEPTH];
    static TickType_t begin, previous;

    BEGIN(tasks);
    IN_TASK(eTaskGetState(early), eSuspended);
    IN_TASK(seen, 0);
    vTaskResume(early);
    IN_TASK(seen, 1);
    vTaskDelete(early);
    IN_TASK(uxTaskPriorityGet(NULL), 3);
    IN_TASK(pcTaskGetName(NULL)[0], 'm');
    ROW(xTaskGetHandle("main") == self, 1, 1);
    ROW(xTaskGetHandle("nobody"), 0, 0);
    IN_TASK(xTaskGetSchedulerState(), taskSCHEDULER_RUNNING);
    IN_TASK(uxTaskGetStackHighWaterMark(NULL) > 0, 1);
    IN_TASK(xTaskCreate(NULL, "none", DEPTH, NULL, 4, NULL), errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY);

    seen = 0;
    start(suspend_itself, 5);
    IN_TASK(seen, 1);
    IN_TASK(eTaskGetState(helper), eSuspended);
    IN_TASK(eTaskGetState(self), eRunning);
    vTaskResume(helper);
    IN_TASK(seen, 2);
    ROW(xTaskResumeFromISR(helper), pdTRUE, pdTRUE);
    IN_TASK(seen, 4);
    IN_TASK(uxTaskPriorityGet(helper), 5);
    vTaskPrioritySet(helper, 1);
    IN_TASK(uxTaskPriorityGet(helper), 1);
    vTaskPrioritySet(helper, 1000);
    IN_TASK(uxTaskPriorityGet(helper), configMAX_PRIORITIES - 1);
    vTaskDelete(helper);
    ROW(xTaskResumeFromISR(helper), pdFALSE, pdFALSE);

    start(sleep_for_ever, 5);
    IN_TASK(eTaskGetState(helper), eBlocked);
    vTaskResume(helper);
    IN_TASK(eTaskGetState(helper), eBlocked);
    vTaskDelete(helper);

    seen = 0;
    helper = xTaskCreateStatic(come_back, "static", DEPTH, NULL, 5, stack, &block);
#if defined(__ARM_ARCH_7EM__)
    IN_TASK(sizeof block <= DEPTH, 1);
#else
    IN_TASK(lies_in(helper, &block, sizeof block), 1);
#endif
    IN_TASK(seen, 7);
    IN_TASK(xTaskCreateStatic(come_back, "static", DEPTH, NULL, 5, NULL, &block), 0);

    begin = xTaskGetTickCount();
    vTaskDelay(pdMS_TO_TICKS(5));
    IN_TASK(xTaskGetTickCount() - begin, 5);
    previous = xTaskGetTickCount();
    IN_TASK(xTaskDelayUntil(&previous, 4), pdTRUE);
    IN_TASK(xTaskGetTickCount() == previous, 1);
    previous -= 10;
    IN_TASK(xTaskDelayUntil(&previous, 4), pdFALSE);
    IN_TASK(xTaskGetTickCount() - previous, 6);
    END;
}

static void count_for_ever(void *counter)
{
    for (;;) {
        ++*(volatile uint32_t *)counter;
    }
}

static void wake_each_tick(void *unused)
{
    (void)unused;
    for (;;) {
        vTaskDelay(1);
        for (volatile int busy = 0; busy < 1000; busy++) {
        }
    }
}

/* Two tasks of one priority compute for so many ticks: the hundredths of it that the first one had. */
static long take_turns(TickType_t ticks)
{
    static uint32_t counts[2];
    TaskHandle_t both[2];

    counts[0] = counts[1] = 0;
    for (int i = 0; i < 2; i++) {
        compare("xTaskCreate", "", xTaskCreate(count_for_ever, "turn", DEPTH, &counts[i], 1, &both[i]), pdPASS);
    }
    vTaskDelay(ticks);
    for (int i = 0; i < 2; i++) {
        vTaskDelete(both[i]);
    }
    return counts[0] / (counts[0] / 100 + counts[1] / 100);
}

/* The rest of a turn stays with a task that is preempted. */
static void turns(void)
{
    long share = take_turns(10);

    compare("tasks that take turns", "", share < 100, configUSE_TIME_SLICING);
    start(wake_each_tick, 4);
    share = take_turns(100);
    compare("turns beside a more urgent task", "", share >= 45 && share <= 55, configUSE_TIME_SLICING);
    vTaskDelete(helper);
}

static void raise_the_count(void *unused)
{
    (void)unused;
    seen++;
    vTaskDelete(NULL);
}

static void enter_and_leave(int found)
{
    UBaseType_t mask = taskENTER_CRITICAL_FROM_ISR();
    taskEXIT_CRITICAL_FROM_ISR(mask);
    found_in_handler = found;
}

static void sections(void)
{
    seen = 0;
    vTaskSuspendAll();
    vTaskSuspendAll();
    IN_TASK(xTaskGetSchedulerState(), taskSCHEDULER_SUSPENDED);
    start(raise_the_count, 9);
    IN_TASK(xTaskResumeAll(), pdFALSE);
    IN_TASK(seen, 0);
    IN_TASK(xTaskResumeAll(), pdFALSE);
    IN_TASK(seen, 1);
    IN_TASK(xTaskResumeAll(), pdFALSE);

    found_in_handler = 0;
    group_in_handler = enter_and_leave;
    row_in_handler = 5;
    taskENTER_CRITICAL();
    taskENTER_CRITICAL();
    taktos_interrupt_pend(SPARE);
    taskEXIT_CRITICAL();
    IN_TASK(found_in_handler, 0);
    taskEXIT_CRITICAL();
    IN_TASK(found_in_handler, 5);
    taskEXIT_CRITICAL();
    row_in_handler = 6;
    taktos_interrupt_pend(SPARE);
    IN_TASK(found_in_handler, 6);
}

static void receive(void *unused)
{
    int item = 0;

    (void)unused;
    answer = xQueueReceive(queue, &item, 10);
    seen = (uint32_t)item;
    vTaskDelete(NULL);
}

static void send_long(void *unused)
{
    int item = 31;

    (void)unused;
    answer = pdFALSE;
    answer = xQueueSend(queue, &item, portMAX_DELAY);
    vTaskSuspend(NULL);
}

static void take_long(void *unused)
{
    (void)unused;
    answer = xSemaphoreTake(queue, portMAX_DELAY);
    vTaskSuspend(NULL);
}

static void look(void *unused)
{
    int item = 0;

    (void)unused;
    answer = xQueuePeek(queue, &item, 10);
    seen = (uint32_t)item;
    vTaskDelete(NULL);
}

static void queues(int row)
{
    static StaticQueue_t block;
    static uint8_t storage[4];
    static QueueHandle_t fixed;

    BEGIN(queues);
    fixed = xQueueCreateStatic(1, 4, storage, &block);
    IN_TASK(lies_in(fixed, &block, sizeof block), 1);
    IN_TASK(xQueueCreate(0, 4), 0);
    IN_TASK(xQueueCreate((size_t)-1, 4), 0);
    value = 1;
    ROW(xQueueOverwriteFromISR(fixed, &value, &woken), pdTRUE, pdTRUE);
    value = 2;
    IN_TASK(xQueueOverwrite(fixed, &value), pdTRUE);
    value = 0;
    ROW(xQueuePeekFromISR(fixed, &value), pdTRUE, pdTRUE);
    IN_TASK(value, 2);
    IN_TASK(xQueueReceive(fixed, &value, 0), pdTRUE);
    vQueueDelete(fixed);
    ROW(xQueueSendFromISR(fixed, &value, &woken), pdFALSE, pdFALSE);

    queue = xQueueCreate(3, sizeof(int));
    IN_TASK(xQueueReceive(queue, &place, 0), errQUEUE_EMPTY);
    IN_TASK(xQueuePeek(queue, &place, 2), errQUEUE_EMPTY);
    for (value = 1; value <= 2; value++) {
        IN_TASK(xQueueSend(queue, &value, 0), pdPASS);
    }
    IN_TASK(xQueueSendToFront(queue, &value, 0), pdPASS);
    ROW(xQueueSendFromISR(queue, &value, &woken), errQUEUE_FULL, errQUEUE_FULL);
    IN_TASK(xQueueSend(queue, &value, 3), errQUEUE_FULL);
    ROW(uxQueueMessagesWaiting(queue), 3, 3);
    ROW(uxQueueSpacesAvailable(queue), 0, 0);
    ROW(xQueueIsQueueFullFromISR(queue), 1, 1);
    for (int expected = 3; expected > 0; expected = expected == 3 ? 1 : expected == 1 ? 2 : 0) {
        IN_TASK(xQueuePeek(queue, &place, 0), pdTRUE);
        IN_TASK(place, expected);
        IN_TASK(xQueueReceiveFromISR(queue, &place, &woken), pdTRUE);
        IN_TASK(place, expected);
    }
    ROW(xQueueIsQueueEmptyFromISR(queue), 1, 1);
    /* In front of what was sent in front. */
    for (value = 1; value <= 3; value++) {
        IN_TASK(xQueueSendToFrontFromISR(queue, &value, &woken), pdPASS);
    }
    IN_TASK(xQueueReceive(queue, &place, 0), pdTRUE);
    IN_TASK(place, 3);
    IN_TASK(xQueueReset(queue), pdPASS);
    IN_TASK(uxQueueMessagesWaiting(queue), 0);

    start(look, 5);
    value = 11;
    ROW(xQueueSendToBack(queue, &value, 0), pdPASS, pdPASS);
    IN_TASK(answer, pdTRUE);
    IN_TASK(seen, 11);
    IN_TASK(uxQueueMessagesWaiting(queue), 2);
    IN_TASK(xQueueReset(queue), pdPASS);
    start(receive, 5);
    value = 12;
    IN_TASK(xQueueSend(queue, &value, 0), pdPASS);
    IN_TASK(seen, 12);
    IN_TASK(uxQueueMessagesWaiting(queue), 0);
    start(receive, 5);
    vTaskDelay(20);
    IN_TASK(answer, pdFALSE);
    vQueueAddToRegistry(queue, "queue");
    vQueueDelete(queue);
    END;
}

/* A program does not see whether a less urgent task has been woken already. */
static void items_stay(int row)
{
    static BaseType_t sent;

    BEGIN(items_stay);
    queue = xQueueCreate(1, sizeof(int));
    answer = 77;
    compare("xTaskCreate", "", xTaskCreate(receive, "helper", DEPTH, NULL, 1, &helper), pdPASS);
    vTaskDelay(2);
    value = 21;
    ROW(xQueueSend(queue, &value, 0), pdPASS, errQUEUE_FULL);
    IN_TASK(uxQueueMessagesWaiting(queue), 1);
    place = 0;
    IN_TASK(xQueueReceive(queue, &place, 0), pdTRUE);
    IN_TASK(place, 21);
    vTaskDelay(4);
    IN_TASK(answer, 77);
    vTaskDelay(20);
    IN_TASK(answer, pdFALSE);

    value = 1;
    IN_TASK(xQueueSend(queue, &value, 0), pdPASS);
    compare("xTaskCreate", "", xTaskCreate(send_long, "helper", DEPTH, NULL, 1, &helper), pdPASS);
    vTaskDelay(2);
    IN_TASK(xQueueReceive(queue, &place, 0), pdTRUE);
    sent = xQueueSend(queue, &value, 0);
    IN_TASK(sent, pdPASS);
    vTaskDelay(2);
    IN_TASK(answer, pdFALSE);
    IN_TASK(xQueueReceive(queue, &place, 0), pdTRUE);
    vTaskDelay(2);
    IN_TASK(answer, pdTRUE);
    IN_TASK(xQueueReceive(queue, &place, 0), pdTRUE);
    IN_TASK(place, 31);
    vTaskDelete(helper);
    vQueueDelete(queue);

    queue = xSemaphoreCreateBinary();
    answer = 77;
    compare("xTaskCreate", "", xTaskCreate(take_long, "helper", DEPTH, NULL, 1, &helper), pdPASS);
    vTaskDelay(2);
    IN_TASK(xSemaphoreGive(queue), pdTRUE);
    IN_TASK(uxSemaphoreGetCount(queue), 1);
    IN_TASK(xSemaphoreTake(queue, 0), pdTRUE);
    vTaskDelay(2);
    IN_TASK(answer, 77);
    IN_TASK(xSemaphoreGive(queue), pdTRUE);
    vTaskDelay(2);
    IN_TASK(answer, pdTRUE);
    vTaskDelete(helper);
    vSemaphoreDelete(queue);
    END;
}

static void sets(int row)
{
    static QueueSetHandle_t set;
    static QueueHandle_t member;
    static SemaphoreHandle_t semaphore;

    BEGIN(sets);
    set = xQueueCreateSet(3);
    member = xQueueCreate(2, sizeof(int));
    semaphore = xSemaphoreCreateBinary();
    IN_TASK(xQueueAddToSet(member, set), pdPASS);
    IN_TASK(xQueueAddToSet(member, set), pdFAIL);
    IN_TASK(xQueueAddToSet(set, set), pdFAIL);
    IN_TASK(xQueueAddToSet(semaphore, NULL), pdFAIL);
    IN_TASK(xQueueAddToSet(semaphore, set), pdPASS);
    ROW(xQueueSelectFromSetFromISR(set) == NULL, 1, 1);
    IN_TASK(xQueueSelectFromSet(set, 2) == NULL, 1);
    value = 5;
    IN_TASK(xQueueSend(member, &value, 0), pdPASS);
    ROW(xSemaphoreGiveFromISR(semaphore, &woken), pdTRUE, pdFALSE);
    IN_TASK(uxQueueMessagesWaiting(set), 2);
    IN_TASK(xQueueRemoveFromSet(member, set), pdFAIL);
    IN_TASK(xQueueSelectFromSet(set, portMAX_DELAY) == member, 1);
    IN_TASK(xQueueReceive(member, &place, 0), pdTRUE);
    IN_TASK(place, 5);
    IN_TASK(xQueueSelectFromSet(set, 0) == semaphore, 1);
    IN_TASK(xSemaphoreTake(semaphore, 0), pdTRUE);
    IN_TASK(xQueueRemoveFromSet(member, set), pdPASS);
    IN_TASK(xQueueSend(member, &value, 0), pdPASS);
    IN_TASK(uxQueueMessagesWaiting(set), 0);
    IN_TASK(xQueueAddToSet(member, set), pdFAIL);
    vQueueDelete(member);
    vSemaphoreDelete(semaphore);
    vQueueDelete(set);
    END;
}

static void take_the_mutex(void *unused)
{
    (void)unused;
    xSemaphoreTake(mutex, portMAX_DELAY);
    seen++;
    xSemaphoreGive(mutex);
    vTaskDelete(NULL);
}

static void semaphores(int row)
{
    static StaticSemaphore_t block;
    static SemaphoreHandle_t counting;

    BEGIN(semaphores);
    counting = xSemaphoreCreateCounting(2, 1);
    done = xSemaphoreCreateBinary();
    IN_TASK(xSemaphoreTake(done, 0), pdFALSE);
    IN_TASK(xSemaphoreTake(done, 2), pdFALSE);
    ROW(xSemaphoreGiveFromISR(done, &woken), pdTRUE, pdFALSE);
    ROW(xSemaphoreTakeFromISR(done, &woken), pdTRUE, pdFALSE);
    ROW(uxSemaphoreGetCount(counting), 1, 1);
    IN_TASK(xSemaphoreGive(counting), pdTRUE);
    IN_TASK(xSemaphoreGive(counting), pdFALSE);
    vSemaphoreDelete(counting);
    IN_TASK(xSemaphoreGive(counting), pdFALSE);

    mutex = xSemaphoreCreateMutexStatic(&block);
    IN_TASK(lies_in(mutex, &block, sizeof block), 1);
    IN_TASK(xSemaphoreTake(mutex, portMAX_DELAY), pdTRUE);
    IN_TASK(xSemaphoreGetMutexHolder(mutex) == self, 1);
    seen = 0;
    start(take_the_mutex, 8);
    IN_TASK(uxTaskPriorityGet(NULL), 8);
    IN_TASK(xSemaphoreGive(mutex), pdTRUE);
    IN_TASK(seen, 1);
    IN_TASK(uxTaskPriorityGet(NULL), 3);
    IN_TASK(xSemaphoreGive(mutex), pdFALSE);
    vSemaphoreDelete(mutex);

    mutex = xSemaphoreCreateRecursiveMutex();
    IN_TASK(xSemaphoreTakeRecursive(mutex, 0), pdTRUE);
    IN_TASK(xSemaphoreTakeRecursive(mutex, 0), pdTRUE);
    IN_TASK(xSemaphoreGiveRecursive(mutex), pdTRUE);
    IN_TASK(xSemaphoreGetMutexHolder(mutex) == self, 1);
    IN_TASK(xSemaphoreGiveRecursive(mutex), pdTRUE);
    IN_TASK(xSemaphoreGetMutexHolder(mutex), 0);
    vSemaphoreDelete(mutex);
    END;
}

static SemaphoreHandle_t second;

static void take_both(void *unused)
{
    (void)unused;
    xSemaphoreTake(second, portMAX_DELAY);
    seen++;
    answer = xSemaphoreTake(mutex, portMAX_DELAY);
    xSemaphoreGive(mutex);
    xSemaphoreGive(second);
    vTaskDelete(NULL);
}

static void hold_the_mutex(void *unused)
{
    (void)unused;
    xSemaphoreTake(mutex, 0);
    vTaskDelay(portMAX_DELAY);
}

static void mutexes(int row)
{
    static TickType_t begin;

    BEGIN(mutexes);
    mutex = xSemaphoreCreateMutex();
    second = xSemaphoreCreateMutex();
    ROW(uxSemaphoreGetCount(mutex), 1, 1);
    IN_TASK(xSemaphoreTake(mutex, 0), pdTRUE);
    ROW(uxQueueMessagesWaiting(mutex), 0, 0);
    ROW(xSemaphoreGetMutexHolderFromISR(mutex) == self, 1, 1);
    /* Its owner waits for it as others do, but not for ever. */
    begin = xTaskGetTickCount();
    IN_TASK(xSemaphoreTake(mutex, 2), pdFALSE);
    IN_TASK(xTaskGetTickCount() - begin, 2);
    IN_TASK(xSemaphoreTake(mutex, portMAX_DELAY), pdFALSE);
    IN_TASK(xSemaphoreTake(second, 0), pdTRUE);

    /* A priority that was inherited by one stays until the last is given back. */
    seen = 0;
    start(take_the_mutex, 8);
    IN_TASK(uxTaskPriorityGet(NULL), 8);
    vTaskPrioritySet(NULL, 4);
    IN_TASK(uxTaskPriorityGet(NULL), 8);
    IN_TASK(xSemaphoreGive(mutex), pdTRUE);
    IN_TASK(uxTaskPriorityGet(NULL), 8);
    IN_TASK(xSemaphoreGive(second), pdTRUE);
    IN_TASK(uxTaskPriorityGet(NULL), 4);
    IN_TASK(seen, 1);
    vTaskPrioritySet(NULL, 3);

    /* It is given back with the wait that it came from, where that ends before. */
    IN_TASK(xSemaphoreTake(mutex, 0), pdTRUE);
    start(take_the_mutex, 8);
    IN_TASK(uxTaskPriorityGet(NULL), 8);
    IN_TASK(xTaskAbortDelay(helper), pdPASS);
    vTaskDelay(2);
    IN_TASK(uxTaskPriorityGet(NULL), 3);
    IN_TASK(xSemaphoreGive(mutex), pdTRUE);

    /* Along a chain, and not in a ring. */
    seen = 0;
    IN_TASK(xSemaphoreTake(mutex, 0), pdTRUE);
    start(take_both, 6);
    IN_TASK(seen, 1);
    IN_TASK(uxTaskPriorityGet(NULL), 6);
    IN_TASK(xSemaphoreTake(second, portMAX_DELAY), pdFALSE);
    IN_TASK(xSemaphoreGive(mutex), pdTRUE);
    vTaskDelay(2);
    IN_TASK(answer, pdTRUE);

    /* One that was reset is given by a handler. */
    IN_TASK(xQueueReset(mutex), pdPASS);
    IN_TASK(xSemaphoreTake(mutex, 2), pdFALSE);
    ROW(xSemaphoreGiveFromISR(mutex, &woken), pdTRUE, pdFALSE);
    IN_TASK(xSemaphoreTake(mutex, 0), pdTRUE);
    ROW(xSemaphoreTakeFromISR(second, &woken), pdTRUE, pdFALSE);
    IN_TASK(xSemaphoreGive(second), pdTRUE);
    IN_TASK(xSemaphoreGive(mutex), pdTRUE);

    /* It stays locked when its owner ends, and is nobody's. */
    start(hold_the_mutex, 5);
    IN_TASK(xSemaphoreGetMutexHolder(mutex) == helper, 1);
    vTaskDelete(helper);
    IN_TASK(xSemaphoreGetMutexHolder(mutex) == NULL, 1);
    IN_TASK(xSemaphoreTake(mutex, 2), pdFALSE);
    vSemaphoreDelete(mutex);
    vSemaphoreDelete(second);
    vSemaphoreCreateBinary(second);
    IN_TASK(uxSemaphoreGetCount(second), 1);
    vSemaphoreDelete(second);
    END;
}

static void wait_for_bits(void *unused)
{
    uint32_t found = 0;

    (void)unused;
    answer = xTaskNotifyWait(0xF0, 0x1, &found, portMAX_DELAY);
    seen = found;
    answer += 10 * (BaseType_t)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    seen = 100;
    vTaskDelay(portMAX_DELAY);
}

static void take_forever(void *unused)
{
    (void)unused;
    seen = ulTaskNotifyTakeIndexed(0, pdTRUE, portMAX_DELAY) + 1000;
    vTaskSuspend(NULL);
}

static void notifications(int row)
{
    static uint32_t before;

    BEGIN(notifications);
    ROW(xTaskNotify(self, 5, eSetValueWithoutOverwrite), pdPASS, pdFAIL);
    ROW(xTaskNotifyStateClear(NULL), pdTRUE, pdFALSE);
    ROW(ulTaskNotifyValueClear(NULL, 1), 5, 4);
    ROW(xTaskNotifyAndQueryFromISR(self, 3, eSetBits, &before, &woken), pdPASS, pdPASS);
    IN_TASK(before, 7);
    IN_TASK(xTaskNotifyWait(0, 0xFFFFFFFF, &before, 0), pdTRUE);
    IN_TASK(before, 7);
    IN_TASK(xTaskNotifyWait(0, 0, &before, 2), pdFALSE);
    IN_TASK(before, 0);
    ROW(xTaskNotifyGive(self), pdPASS, pdPASS);
    IN_TASK(ulTaskNotifyTake(pdFALSE, 0), 2);
    IN_TASK(ulTaskNotifyTake(pdFALSE, 0), 1);
    IN_TASK(ulTaskNotifyTake(pdFALSE, 2), 0);
    ROW((vTaskNotifyGiveFromISR(self, &woken), 1), 1, 1);
    IN_TASK(ulTaskNotifyTake(pdTRUE, 0), 2);
    IN_TASK(ulTaskNotifyTake(pdTRUE, 0), 0);
    IN_TASK(xTaskGenericNotify(self, 8, 0, eNoAction, NULL), pdFAIL);
    ROW(xTaskNotifyIndexed(self, 2, 9, eSetValueWithOverwrite), pdPASS, pdPASS);
    IN_TASK(ulTaskNotifyTake(pdTRUE, 0), 0);
    IN_TASK(ulTaskNotifyTakeIndexed(2, pdTRUE, 0), 9);
    ROW((vTaskNotifyGiveIndexedFromISR(self, 1, &woken), 1), 1, 1);
    IN_TASK(xTaskNotifyWaitIndexed(1, 0, 0, &before, 0), pdTRUE);
    IN_TASK(before, 2);
    ROW(xTaskNotifyStateClearIndexed(NULL, 1), pdFALSE, pdFALSE);
    IN_TASK(ulTaskNotifyValueClearIndexed(NULL, 1, 2), 2);
    /* No action, and no value: the wait ends all the same. */
    start(take_forever, 5);
    ROW(xTaskNotify(helper, 0, eNoAction), pdPASS, pdPASS);
    IN_TASK(seen, 1000);
    vTaskDelete(helper);

    seen = 0;
    start(wait_for_bits, 5);
    ROW(xTaskNotifyFromISR(helper, 3, eSetBits, &woken), pdPASS, pdPASS);
    /* The first ends the wait, and its bit is cleared; with the second, the rest is what the next call finds. */
    IN_TASK(seen, 100);
    IN_TASK(answer, 21);
    vTaskDelete(helper);
    IN_TASK(xTaskNotifyGive(helper), pdFAIL);
    END;
}

static void count_calls(TimerHandle_t which)
{
    answer = which == timer && pvTimerGetTimerID(which) == &place;
    seen++;
}

static void timers(int row)
{
    BEGIN(timers);
    timer = xTimerCreate("timer", 3, pdFALSE, &value, count_calls);
    IN_TASK(xTimerCreate("none", 0, pdFALSE, NULL, count_calls), 0);
    IN_TASK(xTimerCreate("none", 1, pdFALSE, NULL, NULL), 0);
    ROW(pvTimerGetTimerID(timer) == &value, 1, 1);
    vTimerSetTimerID(timer, &place);
    IN_TASK(pcTimerGetName(timer)[0], 't');
    ROW(xTimerIsTimerActive(timer), pdFALSE, pdFALSE);
    seen = 0;
    answer = 0;
    ROW(xTimerStartFromISR(timer, &woken), pdPASS, pdPASS);
    IN_TASK(xTimerIsTimerActive(timer), pdTRUE);
    IN_TASK(xTimerGetExpiryTime(timer) - xTaskGetTickCount(), 3);
    vTaskDelay(10);
    IN_TASK(seen, 1);
    IN_TASK(answer, 1);
    IN_TASK(xTimerGetReloadMode(timer), pdFALSE);
    vTimerSetReloadMode(timer, pdTRUE);
    IN_TASK(xTimerChangePeriod(timer, 2, 0), pdPASS);
    IN_TASK(xTimerGetPeriod(timer), 2);
    vTaskDelay(7);
    IN_TASK(seen, 4);
    ROW(xTimerStop(timer, 0), pdPASS, pdPASS);
    vTaskDelay(5);
    IN_TASK(seen, 4);
    IN_TASK(xTimerReset(timer, 0), pdPASS);
    IN_TASK(xTimerChangePeriodFromISR(timer, 0, &woken), pdFAIL);
    IN_TASK(xTimerDelete(timer, 0), pdPASS);
    ROW(xTimerStartFromISR(timer, &woken), pdFAIL, pdFAIL);
    vTaskDelay(5);
    IN_TASK(seen, 4);
    END;
}

static void wait_for_all(void *unused)
{
    (void)unused;
    seen = xEventGroupWaitBits(group, 3, pdTRUE, pdTRUE, portMAX_DELAY);
    vTaskDelete(NULL);
}

static void meet(void *unused)
{
    (void)unused;
    seen = xEventGroupSync(group, 1, 3, portMAX_DELAY);
    vTaskDelete(NULL);
}

static void event_groups(int row)
{
    BEGIN(event_groups);
    group = xEventGroupCreate();
    IN_TASK(xEventGroupSetBits(group, 6), 6);
    ROW(xEventGroupGetBitsFromISR(group), 6, 6);
    ROW(xEventGroupClearBitsFromISR(group, 8), pdPASS, pdPASS);
    IN_TASK(xEventGroupWaitBits(group, 3, pdTRUE, pdFALSE, 0), 6);
    ROW(xEventGroupGetBits(group), 4, 4);
    IN_TASK(xEventGroupWaitBits(group, 5, pdTRUE, pdTRUE, 2), 4);
    IN_TASK(xEventGroupClearBits(group, 4), 4);
    seen = 0;
    start(wait_for_all, 5);
    IN_TASK(xEventGroupSetBits(group, 1), 1);
    IN_TASK(seen, 0);
    ROW(xEventGroupSetBitsFromISR(group, 2, &woken), pdPASS, pdPASS);
    IN_TASK(seen, 3);
    IN_TASK(xEventGroupClearBits(group, 2), 2);
    IN_TASK(xEventGroupSync(group, 8, 1, 0), 8);
    IN_TASK(xEventGroupSync(group, 1, 9, 0), 9);
    IN_TASK(xEventGroupGetBits(group), 0);
    seen = 0;
    start(meet, 5);
    IN_TASK(xEventGroupGetBits(group), 1);
    IN_TASK(xEventGroupSync(group, 2, 3, portMAX_DELAY), 3);
    IN_TASK(seen, 3);
    IN_TASK(xEventGroupSync(group, 4, 8, 2), 4);
    ROW(xEventGroupSync(group, 8, 8, 0), 12, 4);
    vEventGroupDelete(group);
    END;
}

static uint32_t calls, arguments;

static void pended(void *first, uint32_t second)
{
    calls++;
    arguments = arguments * 10 + second;
    answer = xTaskGetCurrentTaskHandle() == xTimerGetTimerDaemonTaskHandle() && first == &value;
}

static void pended_functions(int row)
{
    BEGIN(pended_functions);
    /* The timers' task is above this one, and calls at once. */
    ROW(xTimerPendFunctionCall(NULL, &value, 1, 0), pdFAIL, pdFAIL);
    IN_TASK(xTimerPendFunctionCall(pended, &value, 1, 5), pdPASS);
    IN_TASK(calls, 1);
    IN_TASK(answer, 1);
    vTaskPrioritySet(NULL, 50);
    IN_TASK(xTimerPendFunctionCall(pended, &value, 2, 0), pdPASS);
    IN_TASK(xTimerPendFunctionCall(pended, &value, 3, 0), pdPASS);
    IN_TASK(calls, 1);
    vTaskPrioritySet(NULL, 3);
    IN_TASK(arguments, 123);
    ROW(xTimerPendFunctionCallFromISR(pended, &value, 4, &woken), pdPASS, pdPASS);
    vTaskDelay(2);
    IN_TASK(arguments, 12344);
    END;
}

static void wait_forever_or_be_told(void *unused)
{
    (void)unused;
    vTaskSetThreadLocalStoragePointer(NULL, 1, &seen);
    seen = (uint32_t)ulTaskNotifyTakeIndexed(0, pdTRUE, portMAX_DELAY) + 100;
    vTaskDelay(portMAX_DELAY);
    seen++;
    vTaskSuspend(NULL);
}

static void pointers_and_ended_waits(int row)
{
    BEGIN(pointers_and_ended_waits);
    ROW(pvTaskGetThreadLocalStoragePointer(NULL, 1) == NULL, 1, 1);
    vTaskSetThreadLocalStoragePointer(NULL, 1, &value);
    vTaskSetThreadLocalStoragePointer(NULL, 8, &value);
    vTaskSetThreadLocalStoragePointer(NULL, -1, &value);
    ROW(pvTaskGetThreadLocalStoragePointer(NULL, 1) == &value, 1, 1);
    ROW(pvTaskGetThreadLocalStoragePointer(self, 0) == NULL, 1, 1);
    ROW(pvTaskGetThreadLocalStoragePointer(self, 8) == NULL, 1, 1);
    seen = 0;
    start(wait_forever_or_be_told, 5);
    IN_TASK(pvTaskGetThreadLocalStoragePointer(helper, 1) == (void *)(uintptr_t)&seen, 1);
    IN_TASK(xTaskAbortDelay(self), pdFAIL);
    IN_TASK(xTaskNotifyGiveIndexed(helper, 8), pdFAIL);
    /* Another than the one that it waits for. */
    IN_TASK(xTaskNotifyGiveIndexed(helper, 1), pdPASS);
    IN_TASK(seen, 0);
    IN_TASK(xTaskAbortDelay(helper), pdPASS);
    IN_TASK(seen, 100);
    IN_TASK(xTaskAbortDelay(helper), pdPASS);
    IN_TASK(seen, 101);
    ROW(xTaskAbortDelay(helper), pdFAIL, pdFAIL);
    vTaskDelete(helper);
    END;
}

static void wait_four_times(void *unused)
{
    uint32_t found;
    int item;

    (void)unused;
    answer = xTaskNotifyWait(0, 0, &found, portMAX_DELAY);
    seen = 1;
    vTaskDelay(portMAX_DELAY);
    seen = 2;
    answer = xEventGroupWaitBits(group, 1, pdTRUE, pdTRUE, portMAX_DELAY) == 0;
    seen = 3;
    answer = xQueueReceive(queue, &item, portMAX_DELAY);
    seen = 4;
    answer = xTaskNotifyWait(0, 0, &found, portMAX_DELAY);
    seen = 5;
    vTaskSuspend(NULL);
}

/* A task that waits, suspended and resumed. */
static void waits_that_a_suspension_ends(void)
{
    queue = xQueueCreate(1, sizeof(int));
    group = xEventGroupCreate();
    seen = 0;
    start(wait_four_times, 5);
    vTaskSuspend(helper);
    IN_TASK(eTaskGetState(helper), eSuspended);
    IN_TASK(xTaskAbortDelay(helper), pdFAIL);
    IN_TASK(seen, 0);
    for (uint32_t wait = 1; wait <= 3; wait++) {
        vTaskSuspend(helper);
        vTaskResume(helper);
        IN_TASK(seen, wait);
        IN_TASK(answer, wait == 3 ? 1 : pdFALSE);
    }
    /* That of a queue goes on. */
    vTaskSuspend(helper);
    vTaskResume(helper);
    IN_TASK(eTaskGetState(helper), eBlocked);
    IN_TASK(seen, 3);
    IN_TASK(xQueueSend(queue, &value, 0), pdPASS);
    IN_TASK(seen, 4);
    /* A notification that comes while the task is suspended is there when it is resumed. */
    vTaskSuspend(helper);
    IN_TASK(xTaskNotify(helper, 1, eSetBits), pdPASS);
    IN_TASK(seen, 4);
    vTaskResume(helper);
    IN_TASK(seen, 5);
    IN_TASK(answer, pdTRUE);
    vTaskDelete(helper);
    vQueueDelete(queue);
    vEventGroupDelete(group);
}

static StreamBufferHandle_t stream;
static MessageBufferHandle_t messages;
static uint8_t received[32];

static void read_a_stream(void *ticks)
{
    (void)ticks;
    for (;;) {
        seen = xStreamBufferReceive(stream, received, sizeof received, 20);
    }
}

static void write_much(void *unused)
{
    (void)unused;
    seen = xStreamBufferSend(stream, "0123456789", 10, portMAX_DELAY);
    vTaskDelete(NULL);
}

/* Fills and empties the stream in each tick, so that it is empty for tasks that are less urgent, wherever they are interrupted. */
static void come_and_go(void *unused)
{
    char bytes[8];

    (void)unused;
    for (;;) {
        vTaskDelay(1);
        xStreamBufferSend(stream, "01234", 5, 0);
        xStreamBufferReceive(stream, bytes, sizeof bytes, 0);
    }
}

/* The rooms other than that of an empty stream that a third task sees within so many ticks. */
static long rooms_between(TickType_t ticks)
{
    TickType_t begin = xTaskGetTickCount();
    long others = 0;

    start(come_and_go, 4);
    while (xTaskGetTickCount() - begin < ticks) {
        for (int i = 0; i < 100; i++) {
            others += xStreamBufferSpacesAvailable(stream) != 7;
        }
    }
    vTaskDelete(helper);
    return others;
}

static void streams(int row)
{
    static uint8_t ring[8];
    static StaticStreamBuffer_t block;

    BEGIN(streams);
    IN_TASK(xStreamBufferCreate(4, 5) == NULL, 1);
    stream = xStreamBufferCreateStatic(sizeof ring, 3, ring, &block);
    IN_TASK(lies_in(stream, &block, sizeof block), 1);
    ROW(xStreamBufferSpacesAvailable(stream), 7, 7);
    ROW(xStreamBufferIsEmpty(stream), pdTRUE, pdTRUE);
    ROW(xStreamBufferSend(stream, "ab", 2, 0), 2, 2);
    ROW(xStreamBufferBytesAvailable(stream), 4, 4);
    IN_TASK(xStreamBufferSend(stream, "cdef", 4, 1), 3);
    ROW(xStreamBufferIsFull(stream), pdTRUE, pdTRUE);
    ROW(xStreamBufferSendFromISR(stream, "g", 1, &woken), 0, 0);
    ROW(xStreamBufferReceiveFromISR(stream, received, 2, &woken), 2, 2);
    IN_TASK(received[0], 'a');
    /* Over the end of the ring. */
    IN_TASK(xStreamBufferSend(stream, "xyz", 3, 0), 3);
    IN_TASK(xStreamBufferReceive(stream, received, 32, portMAX_DELAY), 6);
    IN_TASK(received[2] == 'e' && received[3] == 'x' && received[5] == 'z', 1);
    IN_TASK(xStreamBufferReceive(stream, received, 32, 1), 0);
    /* A reader that waits is woken by three bytes, or gets what there is in its time. */
    seen = 99;
    start(read_a_stream, 5);
    ROW(xStreamBufferReset(stream), pdFAIL, pdFAIL);
    IN_TASK(xStreamBufferSend(stream, "ab", 2, 0), 2);
    IN_TASK(seen, 99);
    IN_TASK(xStreamBufferSend(stream, "c", 1, 0), 1);
    IN_TASK(seen, 3);
    IN_TASK(xStreamBufferSend(stream, "d", 1, 0), 1);
    IN_TASK(seen, 3);
    vTaskDelay(25);
    IN_TASK(seen, 1);
    IN_TASK(xStreamBufferSetTriggerLevel(stream, 8), pdFAIL);
    IN_TASK(xStreamBufferSetTriggerLevel(stream, 1), pdPASS);
    IN_TASK(xStreamBufferSend(stream, "12", 2, 0), 2);
    IN_TASK(seen, 2);
    vTaskDelete(helper);
    vStreamBufferDelete(stream);
    IN_TASK(xStreamBufferSend(stream, "1", 1, 0), 0);
    /* A writer that waits goes on when there is room for all that fits. */
    stream = xStreamBufferCreate(7, 1);
    IN_TASK(xStreamBufferSend(stream, "a", 1, 0), 1);
    seen = 0;
    start(write_much, 5);
    IN_TASK(seen, 0);
    IN_TASK(xStreamBufferReceive(stream, received, 1, 0), 1);
    IN_TASK(seen, 7);
    ROW(xStreamBufferReset(stream), pdPASS, pdPASS);
    ROW(xStreamBufferIsEmpty(stream), pdTRUE, pdTRUE);
    IN_TASK(rooms_between(300), 0);
    vStreamBufferDelete(stream);
    END;
}

static void read_messages(void *unused)
{
    (void)unused;
    for (;;) {
        seen = xMessageBufferReceive(messages, received, sizeof received, portMAX_DELAY);
    }
}

static void message_buffers(int row)
{
    BEGIN(message_buffers);
    messages = xMessageBufferCreate(2 * sizeof(size_t) + 8);
    ROW(xMessageBufferNextLengthBytes(messages), 0, 0);
    IN_TASK(xMessageBufferSend(messages, "01234567890123456789", sizeof(size_t) + 9, portMAX_DELAY), 0);
    ROW(xMessageBufferSendFromISR(messages, "abcd", 4, &woken), 4, 4);
    ROW(xMessageBufferIsFull(messages), pdTRUE, pdTRUE);
    IN_TASK(xMessageBufferSend(messages, "e", 1, 1), 0);
    ROW(xMessageBufferNextLengthBytes(messages), 4, 4);
    ROW(xMessageBufferReceive(messages, received, 3, 0), 0, 0);
    received[3] = 0;
    ROW(xMessageBufferReceiveFromISR(messages, received, 9, &woken), 4, 4);
    IN_TASK(received[3], 'd');
    ROW(xMessageBufferReceive(messages, received, 9, 0), 0, 0);
    IN_TASK(xMessageBufferIsEmpty(messages), pdTRUE);
    seen = 0;
    start(read_messages, 5);
    for (uint32_t length = 1; length <= 12; length++) {
        IN_TASK(xMessageBufferSend(messages, "0123456789abcdef", length, 0), length);
        IN_TASK(seen, length);
        IN_TASK(received[length - 1], "0123456789abcdef"[length - 1]);
    }
    vTaskDelete(helper);
    vMessageBufferDelete(messages);
    END;
}

static void memory(void)
{
    void *block = pvPortMalloc(100);
    size_t free_bytes;

    IN_TASK(block != NULL, 1);
    IN_TASK(pvPortMalloc((size_t)1 << 30), 0);
    vPortFree(block);
    vPortFree(NULL);
    IN_TASK(pvPortMalloc(100) == block, 1);
    free_bytes = xPortGetFreeHeapSize();
    vPortFree(block);
    IN_TASK(xPortGetFreeHeapSize() - free_bytes >= 100 && xPortGetFreeHeapSize() - free_bytes < 200, 1);
    IN_TASK(xPortGetMinimumEverFreeHeapSize() <= free_bytes, 1);
}

static void run(void *argument)
{
    IN_TASK(argument == &value, 1);
    IN_TASK(self == xTaskGetCurrentTaskHandle(), 1);
    IN_TASK(ulTaskNotifyTake(pdTRUE, 0), 2);
    IN_TASK(xTimerIsTimerActive(timer), pdFALSE);
    TAKTOS_INTERRUPT_ENABLE(SPARE);
    tasks(0);
    turns();
    sections();
    queues(0);
    items_stay(0);
    sets(0);
    semaphores(0);
    mutexes(0);
    notifications(0);
    timers(0);
    event_groups(0);
    pended_functions(0);
    pointers_and_ended_waits(0);
    waits_that_a_suspension_ends();
    streams(0);
    message_buffers(0);
    memory();
    report();
}

int main(void)
{
    IN_TASK(xTaskGetSchedulerState(), taskSCHEDULER_NOT_STARTED);
    IN_TASK(xTaskCreate(run, "main", 2 * DEPTH, &value, 3, &self), pdPASS);
    IN_TASK(xTaskCreate(suspend_itself, "early", DEPTH, NULL, 5, &early), pdPASS);
    vTaskSuspend(early);
    IN_TASK(eTaskGetState(early), eSuspended);
    IN_TASK(xTaskNotify(self, 2, eSetBits), pdPASS);
    timer = xTimerCreate("early", 1000, pdFALSE, NULL, count_calls);
    IN_TASK(xTimerStart(timer, portMAX_DELAY), pdPASS);
    IN_TASK(xTimerStop(timer, portMAX_DELAY), pdPASS);
    IN_TASK(xTimerStart(timer, portMAX_DELAY), pdFAIL);
    vTaskStartScheduler();
    return 1;
}
