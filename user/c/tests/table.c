/* Every call of the standard, with each of its errors, in a thread and in a handler: what it gives back.
 * Owns: the table. Must never know: the board, but for an interrupt that no device has. */
#include "cmsis_os2.h"
#include "taktos.h"

#include "check.h"

/* Whether the board's time can be set forward: where the machine's clock goes on by itself in its sleep, it cannot. */
#if __ARM_ARCH_PROFILE == 'M'
#define SETS_TICKS 1
#else
#define SETS_TICKS 0
#endif

#define FLAGS_ERROR(code) ((long)(uint32_t)(code))
#define FLAGS_ROW(expression, thread, handler)                           \
    ROW((long)(uint32_t)(expression), (long)(uint32_t)(thread), (long)(uint32_t)(handler))

static osThreadId_t helper, ended, self;
static osSemaphoreId_t semaphore, deleted;
static osMutexId_t mutex, recursive;
static osEventFlagsId_t flags;
static osTimerId_t timer;
static osMemoryPoolId_t pool;
static osMessageQueueId_t queue;
static osThreadId_t ids[8];
static uint32_t message, stack[256];
static uint8_t priority;
static void *block;
static int calls_of_timer;

static void wait_for_ever(void *argument)
{
    (void)argument;
    for (;;) {
        osDelay(osWaitForever);
    }
}

static void end_at_once(void *argument)
{
    (void)argument;
}

static void count(void *argument)
{
    (void)argument;
    calls_of_timer++;
}

static int is_text(const char *text, const char *other)
{
    while (*text != '\0' && *text == *other) {
        text++;
        other++;
    }
    return *text == *other;
}

static void kernel(int row)
{
    static osVersion_t version;

    BEGIN(kernel);
    ROW(osKernelInitialize(), osError, osErrorISR);
    ROW(osKernelStart(), osError, osErrorISR);
    compare("osKernelGetInfo", "", osKernelGetInfo(&version, NULL, 0), osOK);
    compare("osKernelGetInfo's version", "", (long)version.api, 20030000);
    ROW(osKernelGetInfo(NULL, NULL, 0), osOK, osOK);
    ROW(osKernelGetState(), osKernelRunning, osKernelRunning);
    ROW(osKernelLock(), 0, osErrorISR);
    ROW(osKernelGetState(), osKernelLocked, osKernelLocked);
    ROW(osKernelLock(), 1, osErrorISR);
    ROW(osDelay(1), osError, osErrorISR);
    ROW(osThreadYield(), osError, osErrorISR);
    ROW(osThreadSuspend(self), osErrorResource, osErrorISR);
    ROW(osSemaphoreAcquire(semaphore, 10), osErrorResource, osErrorParameter);
    ROW(osKernelUnlock(), 1, osErrorISR);
    ROW(osKernelUnlock(), 0, osErrorISR);
    ROW(osKernelRestoreLock(1), 1, osErrorISR);
    ROW(osKernelRestoreLock(0), 0, osErrorISR);
    ROW(osKernelRestoreLock(2), osError, osErrorISR);
    ROW(osKernelGetTickFreq(), 1000, 1000);
    ROW(osKernelGetTickCount() < 10000, 1, 1);
    ROW(osKernelGetSysTimerFreq() >= osKernelGetTickFreq(), 1, 1);
    ROW((osKernelGetSysTimerCount(), 0), 0, 0);
    ROW(osKernelProtect(1), osError, osError);
    ROW(osKernelDestroyClass(1, 0), osError, osError);
    ROW(osDelay(0), osOK, osErrorISR);
    ROW(osDelay(1), osOK, osErrorISR);
    ROW(osDelayUntil(osKernelGetTickCount()), osErrorParameter, osErrorISR);
    ROW(osDelayUntil(osKernelGetTickCount() - 1), osErrorParameter, osErrorISR);
    ROW(osDelayUntil(osKernelGetTickCount() + 2), osOK, osErrorISR);
    END;
}

static void threads(int row)
{
    BEGIN(threads);
    static const osThreadAttr_t joinable = { .attr_bits = osThreadJoinable, .name = "joinable" };
    static const osThreadAttr_t above = { .priority = (osPriority_t)57 };
    static const osThreadAttr_t no_size = { .stack_mem = stack };
    static const osThreadAttr_t elsewhere = { .affinity_mask = 2 };
    static const osThreadAttr_t no_block = { .cb_mem = stack, .cb_size = 8 };

    helper = osThreadNew(wait_for_ever, NULL, &joinable);
    ended = osThreadNew(end_at_once, NULL, &joinable);
    osDelay(2);
    ROW(osThreadNew(NULL, NULL, NULL), 0, 0);
    ROW(osThreadNew(end_at_once, NULL, &above), 0, 0);
    ROW(osThreadNew(end_at_once, NULL, &no_size), 0, 0);
    ROW(osThreadNew(end_at_once, NULL, &elsewhere), 0, 0);
    ROW(osThreadNew(end_at_once, NULL, &no_block), 0, 0);
    ROW(osThreadNew(end_at_once, NULL, NULL) != NULL, 1, 0);
    ROW(is_text(osThreadGetName(helper), "joinable"), 1, 1);
    ROW(osThreadGetName(NULL), 0, 0);
    ROW(osThreadGetId() == self, 1, 1);
    ROW(osThreadGetState(self), osThreadRunning, osThreadError);
    ROW(osThreadGetState(helper), osThreadBlocked, osThreadError);
    ROW(osThreadGetState(ended), osThreadTerminated, osThreadError);
    ROW(osThreadGetState(NULL), osThreadError, osThreadError);
    ROW(osThreadGetState(semaphore), osThreadError, osThreadError);
    ROW(osThreadGetStackSize(helper) > 0, 1, 0);
    ROW(osThreadGetStackSize(NULL), 0, 0);
    ROW(osThreadGetStackSpace(helper) > 0, 1, 0);
    ROW(osThreadGetStackSpace(helper) < osThreadGetStackSize(helper), 1, 0);
    ROW(osThreadGetStackSpace(NULL), 0, 0);
    for (int level = osPriorityIdle; level <= osPriorityISR; level++) {
        compare("osThreadSetPriority", "", osThreadSetPriority(helper, (osPriority_t)level), osOK);
        compare("osThreadGetPriority", "", osThreadGetPriority(helper), level);
    }
    ROW(osThreadSetPriority(helper, osPriorityNone), osErrorParameter, osErrorISR);
    ROW(osThreadSetPriority(helper, (osPriority_t)57), osErrorParameter, osErrorISR);
    ROW(osThreadSetPriority(NULL, osPriorityNormal), osErrorParameter, osErrorISR);
    ROW(osThreadSetPriority(ended, osPriorityNormal), osErrorResource, osErrorISR);
    ROW(osThreadSetPriority(helper, osPriorityLow), osOK, osErrorISR);
    ROW(osThreadGetPriority(NULL), osPriorityError, osPriorityError);
    ROW(osThreadYield(), osOK, osErrorISR);
    ROW(osThreadSuspend(helper), osOK, osErrorISR);
    ROW(osThreadSuspend(NULL), osErrorParameter, osErrorISR);
    ROW(osThreadSuspend(ended), osErrorResource, osErrorISR);
    ROW(osThreadResume(helper), osOK, osErrorISR);
    ROW(osThreadResume(helper), osOK, osErrorISR);
    ROW(osThreadResume(self), osErrorResource, osErrorISR);
    ROW(osThreadResume(NULL), osErrorParameter, osErrorISR);
    ROW(osThreadResume(ended), osErrorResource, osErrorISR);
    ROW(osThreadSetAffinityMask(helper, 1), osOK, osErrorISR);
    ROW(osThreadSetAffinityMask(helper, 2), osErrorParameter, osErrorISR);
    ROW(osThreadSetAffinityMask(NULL, 1), osErrorParameter, osErrorISR);
    ROW(osThreadGetAffinityMask(helper), 1, 0);
    ROW(osThreadGetAffinityMask(NULL), 0, 0);
    FLAGS_ROW(osThreadGetClass(helper), osErrorId, osErrorId);
    FLAGS_ROW(osThreadGetZone(helper), osErrorId, osErrorId);
    ROW(osThreadFeedWatchdog(1), osError, osError);
    ROW(osThreadProtectPrivileged(), osError, osError);
    ROW(osThreadSuspendClass(1, 0), osError, osError);
    ROW(osThreadResumeClass(1, 0), osError, osError);
    ROW(osThreadTerminateZone(1), osError, osError);
    /* The timers' thread, this one, the helper. */
    ROW(osThreadGetCount(), 3, 0);
    ROW(osThreadEnumerate(ids, 8), 3, 0);
    ROW(osThreadEnumerate(ids, 2), 2, 0);
    ROW(osThreadEnumerate(NULL, 2), 0, 0);
    ROW(osThreadEnumerate(ids, 0), 0, 0);
    ROW(osThreadJoin(self), osErrorResource, osErrorISR);
    ROW(osThreadJoin(NULL), osErrorParameter, osErrorISR);
    ROW(osThreadDetach(NULL), osErrorParameter, osErrorISR);
    ROW(osThreadDetach(self), osErrorResource, osErrorISR);
    ROW(osThreadTerminate(NULL), osErrorParameter, osErrorISR);
    ROW(osThreadTerminate(ended), osErrorResource, osErrorISR);
    ROW(osThreadJoin(ended), osOK, osErrorISR);
    ROW(osThreadJoin(ended), osErrorParameter, osErrorISR);
    ROW(osThreadTerminate(helper), osOK, osErrorISR);
    ROW(osThreadDetach(helper), osOK, osErrorISR);
    ROW(osThreadTerminate(helper), osErrorParameter, osErrorISR);
    END;
}

static void thread_flags(int row)
{
    BEGIN(thread_flags);
    helper = osThreadNew(wait_for_ever, NULL, NULL);
    ended = osThreadNew(end_at_once, NULL, &(osThreadAttr_t){ .attr_bits = osThreadJoinable });
    osDelay(2);
    FLAGS_ROW(osThreadFlagsSet(helper, 5), 5, 5);
    FLAGS_ROW(osThreadFlagsSet(NULL, 1), osFlagsErrorParameter, osFlagsErrorParameter);
    FLAGS_ROW(osThreadFlagsSet(helper, 0x80000000U), osFlagsErrorParameter, osFlagsErrorParameter);
    FLAGS_ROW(osThreadFlagsSet(ended, 1), osFlagsErrorResource, osFlagsErrorResource);
    FLAGS_ROW(osThreadFlagsSet(self, 6), 6, 6);
    FLAGS_ROW(osThreadFlagsGet(), 6, 0);
    FLAGS_ROW(osThreadFlagsClear(2), 6, osFlagsErrorISR);
    FLAGS_ROW(osThreadFlagsClear(0x80000000U), osFlagsErrorParameter, osFlagsErrorISR);
    FLAGS_ROW(osThreadFlagsWait(4, osFlagsWaitAny | osFlagsNoClear, 0), 4, osFlagsErrorISR);
    FLAGS_ROW(osThreadFlagsWait(4, osFlagsWaitAny, 0), 4, osFlagsErrorISR);
    FLAGS_ROW(osThreadFlagsWait(4, osFlagsWaitAny, 0), osFlagsErrorResource, osFlagsErrorISR);
    FLAGS_ROW(osThreadFlagsWait(4, osFlagsWaitAll, 2), osFlagsErrorTimeout, osFlagsErrorISR);
    FLAGS_ROW(osThreadFlagsWait(0x80000000U, osFlagsWaitAny, 0), osFlagsErrorParameter, osFlagsErrorISR);
    FLAGS_ROW(osThreadFlagsWait(1, 4, 0), osFlagsErrorParameter, osFlagsErrorISR);
    osThreadTerminate(helper);
    osThreadJoin(ended);
    END;
}

static void event_flags(int row)
{
    BEGIN(event_flags);
    flags = osEventFlagsNew(&(osEventFlagsAttr_t){ .name = "flags" });
    ROW(osEventFlagsNew(NULL) != NULL, 1, 0);
    ROW(osEventFlagsNew(&(osEventFlagsAttr_t){ .cb_mem = stack, .cb_size = 8 }), 0, 0);
    ROW(is_text(osEventFlagsGetName(flags), "flags"), 1, 1);
    ROW(osEventFlagsGetName(semaphore), 0, 0);
    FLAGS_ROW(osEventFlagsSet(flags, 3), 3, 3);
    FLAGS_ROW(osEventFlagsSet(NULL, 1), osFlagsErrorParameter, osFlagsErrorParameter);
    FLAGS_ROW(osEventFlagsSet(flags, 0x80000000U), osFlagsErrorParameter, osFlagsErrorParameter);
    FLAGS_ROW(osEventFlagsGet(flags), 3, 3);
    FLAGS_ROW(osEventFlagsGet(semaphore), 0, 0);
    FLAGS_ROW(osEventFlagsClear(flags, 0), 3, 3);
    FLAGS_ROW(osEventFlagsClear(NULL, 1), osFlagsErrorParameter, osFlagsErrorParameter);
    FLAGS_ROW(osEventFlagsClear(flags, 0x80000000U), osFlagsErrorParameter, osFlagsErrorParameter);
    FLAGS_ROW(osEventFlagsWait(flags, 3, osFlagsWaitAll | osFlagsNoClear, 0), 3, 3);
    FLAGS_ROW(osEventFlagsWait(flags, 4, osFlagsWaitAny, 0), osFlagsErrorResource, osFlagsErrorResource);
    FLAGS_ROW(osEventFlagsWait(flags, 4, osFlagsWaitAny, 2), osFlagsErrorTimeout, osFlagsErrorParameter);
    FLAGS_ROW(osEventFlagsWait(flags, 0x80000000U, osFlagsWaitAny, 0), osFlagsErrorParameter, osFlagsErrorParameter);
    FLAGS_ROW(osEventFlagsWait(flags, 1, 8, 0), osFlagsErrorParameter, osFlagsErrorParameter);
    FLAGS_ROW(osEventFlagsWait(NULL, 1, 0, 0), osFlagsErrorParameter, osFlagsErrorParameter);
    ROW(osEventFlagsDelete(NULL), osErrorParameter, osErrorISR);
    ROW(osEventFlagsDelete(flags), osOK, osErrorISR);
    ROW(osEventFlagsDelete(flags), osErrorParameter, osErrorISR);
    END;
}

static void timers(int row)
{
    BEGIN(timers);
    timer = osTimerNew(count, osTimerPeriodic, NULL, &(osTimerAttr_t){ .name = "timer" });
    ROW(osTimerNew(count, osTimerOnce, NULL, NULL) != NULL, 1, 0);
    ROW(osTimerNew(NULL, osTimerOnce, NULL, NULL), 0, 0);
    ROW(osTimerNew(count, (osTimerType_t)2, NULL, NULL), 0, 0);
    ROW(osTimerNew(count, osTimerOnce, NULL, &(osTimerAttr_t){ .cb_mem = stack, .cb_size = 8 }), 0, 0);
    ROW(is_text(osTimerGetName(timer), "timer"), 1, 1);
    ROW(osTimerGetName(NULL), 0, 0);
    ROW(osTimerStop(timer), osErrorResource, osErrorISR);
    ROW(osTimerStart(timer, 0), osErrorParameter, osErrorISR);
    ROW(osTimerStart(NULL, 1), osErrorParameter, osErrorISR);
    ROW(osTimerStart(timer, 2), osOK, osErrorISR);
    ROW(osTimerIsRunning(timer), 1, 0);
    ROW(osTimerIsRunning(NULL), 0, 0);
    osDelay(7);
    compare("calls of a timer of 2 ticks", " in 7", calls_of_timer, 3);
    ROW(osTimerStop(timer), osOK, osErrorISR);
    ROW(osTimerStop(NULL), osErrorParameter, osErrorISR);
    ROW(osTimerIsRunning(timer), 0, 0);
    ROW(osTimerDelete(NULL), osErrorParameter, osErrorISR);
    ROW(osTimerDelete(timer), osOK, osErrorISR);
    ROW(osTimerDelete(timer), osErrorParameter, osErrorISR);
    END;
}

static void mutexes(int row)
{
    BEGIN(mutexes);
    mutex = osMutexNew(&(osMutexAttr_t){ .name = "mutex", .attr_bits = osMutexPrioInherit | osMutexRobust });
    recursive = osMutexNew(&(osMutexAttr_t){ .attr_bits = osMutexRecursive });
    ROW(osMutexNew(NULL) != NULL, 1, 0);
    ROW(osMutexNew(&(osMutexAttr_t){ .cb_mem = stack, .cb_size = 8 }), 0, 0);
    ROW(is_text(osMutexGetName(mutex), "mutex"), 1, 1);
    ROW(osMutexGetName(NULL), 0, 0);
    ROW(osMutexGetOwner(mutex), 0, 0);
    ROW(osMutexRelease(mutex), osErrorResource, osErrorISR);
    ROW(osMutexAcquire(mutex, 0), osOK, osErrorISR);
    ROW(osMutexAcquire(mutex, 0), osErrorResource, osErrorISR);
    ROW(osMutexAcquire(mutex, osWaitForever), osErrorResource, osErrorISR);
    ROW(osMutexAcquire(NULL, 0), osErrorParameter, osErrorISR);
    ROW(osMutexGetOwner(mutex) == self, 1, 0);
    ROW(osMutexGetOwner(NULL), 0, 0);
    ROW(osMutexRelease(mutex), osOK, osErrorISR);
    ROW(osMutexRelease(NULL), osErrorParameter, osErrorISR);
    ROW(osMutexAcquire(recursive, 0), osOK, osErrorISR);
    ROW(osMutexAcquire(recursive, 0), osOK, osErrorISR);
    ROW(osMutexRelease(recursive), osOK, osErrorISR);
    ROW(osMutexRelease(recursive), osOK, osErrorISR);
    ROW(osMutexRelease(recursive), osErrorResource, osErrorISR);
    ROW(osMutexDelete(NULL), osErrorParameter, osErrorISR);
    osMutexAcquire(mutex, 0);
    ROW(osMutexDelete(mutex), osOK, osErrorISR);
    ROW(osMutexDelete(mutex), osErrorParameter, osErrorISR);
    END;
}

static void lock_and_end(void *argument)
{
    osMutexAcquire(argument, osWaitForever);
}

static void mutexes_of_the_dead(int row)
{
    static const osThreadAttr_t urgent = { .priority = osPriorityHigh };

    BEGIN(mutexes_of_the_dead);
    mutex = osMutexNew(&(osMutexAttr_t){ .attr_bits = osMutexRobust });
    osThreadNew(lock_and_end, mutex, &urgent);
    ROW(osMutexAcquire(mutex, 0), osOK, osErrorISR);
    osMutexDelete(mutex);
    mutex = osMutexNew(NULL);
    osThreadNew(lock_and_end, mutex, &urgent);
    ROW(osMutexAcquire(mutex, 0), osErrorResource, osErrorISR);
    ROW(osMutexAcquire(mutex, 2), osErrorTimeout, osErrorISR);
    ROW(osMutexGetOwner(mutex), 0, 0);
    ROW(osMutexDelete(mutex), osOK, osErrorISR);
    END;
}

static void semaphores(int row)
{
    BEGIN(semaphores);
    ROW(osSemaphoreNew(0, 0, NULL), 0, 0);
    ROW(osSemaphoreNew(1, 2, NULL), 0, 0);
    ROW(osSemaphoreNew(1, 1, NULL) != NULL, 1, 0);
    ROW(osSemaphoreNew(1, 1, &(osSemaphoreAttr_t){ .cb_mem = stack, .cb_size = 8 }), 0, 0);
    ROW(is_text(osSemaphoreGetName(semaphore), "semaphore"), 1, 1);
    ROW(osSemaphoreGetName(NULL), 0, 0);
    ROW(osSemaphoreGetCount(semaphore), 0, 0);
    ROW(osSemaphoreGetCount(NULL), 0, 0);
    ROW(osSemaphoreRelease(semaphore), osOK, osOK);
    ROW(osSemaphoreRelease(semaphore), osErrorResource, osErrorResource);
    ROW(osSemaphoreRelease(NULL), osErrorParameter, osErrorParameter);
    ROW(osSemaphoreGetCount(semaphore), 2, 2);
    ROW(osSemaphoreAcquire(semaphore, 0), osOK, osOK);
    ROW(osSemaphoreAcquire(semaphore, 0), osErrorResource, osErrorResource);
    ROW(osSemaphoreAcquire(semaphore, 2), osErrorTimeout, osErrorParameter);
    ROW(osSemaphoreAcquire(NULL, 0), osErrorParameter, osErrorParameter);
    deleted = osSemaphoreNew(1, 0, NULL);
    osSemaphoreDelete(deleted);
    ROW(osSemaphoreAcquire(deleted, 0), osErrorParameter, osErrorParameter);
    ROW(osSemaphoreDelete(NULL), osErrorParameter, osErrorISR);
    ROW(osSemaphoreDelete(semaphore), osOK, osErrorISR);
    ROW(osSemaphoreDelete(semaphore), osErrorParameter, osErrorISR);
    END;
}

static void pools(int row)
{
    BEGIN(pools);
    pool = osMemoryPoolNew(3, 12, &(osMemoryPoolAttr_t){ .name = "pool" });
    ROW(osMemoryPoolNew(0, 4, NULL), 0, 0);
    ROW(osMemoryPoolNew(1, 0, NULL), 0, 0);
    ROW(osMemoryPoolNew(1, 4, NULL) != NULL, 1, 0);
    ROW(osMemoryPoolNew(4, 4, &(osMemoryPoolAttr_t){ .mp_mem = stack, .mp_size = 12 }), 0, 0);
    ROW(osMemoryPoolNew(0xFFFFFFFFU, 0xFFFFFFFFU, NULL), 0, 0);
    ROW(is_text(osMemoryPoolGetName(pool), "pool"), 1, 1);
    ROW(osMemoryPoolGetName(NULL), 0, 0);
    ROW(osMemoryPoolGetCapacity(pool), 3, 3);
    ROW(osMemoryPoolGetCapacity(NULL), 0, 0);
    ROW(osMemoryPoolGetBlockSize(pool), 12, 12);
    ROW(osMemoryPoolGetBlockSize(NULL), 0, 0);
    ROW((block = osMemoryPoolAlloc(pool, 0)) != NULL, 1, 1);
    ROW(osMemoryPoolGetCount(pool), 2, 2);
    ROW(osMemoryPoolGetCount(NULL), 0, 0);
    ROW(osMemoryPoolGetSpace(pool), 1, 1);
    ROW(osMemoryPoolGetSpace(NULL), 0, 0);
    ROW(osMemoryPoolFree(pool, block), osOK, osErrorResource);
    ROW(osMemoryPoolGetCount(pool), 1, 1);
    ROW(osMemoryPoolFree(pool, stack), osErrorParameter, osErrorParameter);
    ROW(osMemoryPoolFree(pool, (uint8_t *)block + 4), osErrorParameter, osErrorParameter);
    ROW(osMemoryPoolFree(pool, NULL), osErrorParameter, osErrorParameter);
    ROW(osMemoryPoolFree(NULL, block), osErrorParameter, osErrorParameter);
    osMemoryPoolAlloc(pool, 0);
    osMemoryPoolAlloc(pool, 0);
    osMemoryPoolAlloc(pool, 0);
    ROW(osMemoryPoolAlloc(pool, 0), 0, 0);
    ROW(osMemoryPoolAlloc(pool, 2), 0, 0);
    ROW(osMemoryPoolAlloc(NULL, 0), 0, 0);
    ROW(osMemoryPoolDelete(NULL), osErrorParameter, osErrorISR);
    ROW(osMemoryPoolDelete(pool), osOK, osErrorISR);
    ROW(osMemoryPoolDelete(pool), osErrorParameter, osErrorISR);
    END;
}

static void queues(int row)
{
    BEGIN(queues);
    queue = osMessageQueueNew(2, sizeof message, &(osMessageQueueAttr_t){ .name = "queue" });
    ROW(osMessageQueueNew(0, 4, NULL), 0, 0);
    ROW(osMessageQueueNew(1, 0, NULL), 0, 0);
    ROW(osMessageQueueNew(1, 4, NULL) != NULL, 1, 0);
    ROW(osMessageQueueNew(4, 4, &(osMessageQueueAttr_t){ .mq_mem = stack, .mq_size = 12 }), 0, 0);
    ROW(osMessageQueueNew(0xFFFFFFFFU, 0x7FFFFFFFU, NULL), 0, 0);
    ROW(is_text(osMessageQueueGetName(queue), "queue"), 1, 1);
    ROW(osMessageQueueGetName(NULL), 0, 0);
    ROW(osMessageQueueGetCapacity(queue), 2, 2);
    ROW(osMessageQueueGetCapacity(NULL), 0, 0);
    ROW(osMessageQueueGetMsgSize(queue), 4, 4);
    ROW(osMessageQueueGetMsgSize(NULL), 0, 0);
    ROW(osMessageQueueGet(queue, &message, NULL, 0), osErrorResource, osErrorResource);
    ROW(osMessageQueueGet(queue, &message, NULL, 2), osErrorTimeout, osErrorParameter);
    ROW(osMessageQueueGet(queue, NULL, NULL, 0), osErrorParameter, osErrorParameter);
    ROW(osMessageQueueGet(NULL, &message, NULL, 0), osErrorParameter, osErrorParameter);
    ROW(osMessageQueuePut(queue, &message, 3, 0), osOK, osOK);
    ROW(osMessageQueuePut(queue, &message, 3, 0), osErrorResource, osErrorResource);
    ROW(osMessageQueuePut(queue, &message, 3, 2), osErrorTimeout, osErrorParameter);
    ROW(osMessageQueuePut(queue, NULL, 3, 0), osErrorParameter, osErrorParameter);
    ROW(osMessageQueuePut(NULL, &message, 3, 0), osErrorParameter, osErrorParameter);
    ROW(osMessageQueueGetCount(queue), 2, 2);
    ROW(osMessageQueueGetCount(NULL), 0, 0);
    ROW(osMessageQueueGetSpace(queue), 0, 0);
    ROW(osMessageQueueGetSpace(NULL), 0, 0);
    ROW(osMessageQueueGet(queue, &message, &priority, 0) + priority, 3, 3);
    ROW(osMessageQueueReset(queue), osOK, osErrorISR);
    ROW(osMessageQueueReset(NULL), osErrorParameter, osErrorISR);
    for (uint32_t each = 0; each < 6; each++) {
        static const uint8_t priorities[6] = { 1, 3, 2, 3, 0, 2 };
        osMessageQueueId_t all = osMessageQueueNew(6, sizeof each, NULL);
        for (uint32_t index = 0; index < 6; index++) {
            osMessageQueuePut(all, &index, priorities[index], 0);
        }
        static const uint32_t order[6] = { 1, 3, 2, 5, 0, 4 };
        for (uint32_t index = 0; index <= each; index++) {
            osMessageQueueGet(all, &message, NULL, 0);
            compare("osMessageQueueGet", " by priority", (long)message, (long)order[index]);
        }
        osMessageQueueDelete(all);
    }
    ROW(osMessageQueueDelete(NULL), osErrorParameter, osErrorISR);
    ROW(osMessageQueueDelete(queue), osOK, osErrorISR);
    ROW(osMessageQueueDelete(queue), osErrorParameter, osErrorISR);
    END;
}

static void sleep_deeply(int row)
{
    static uint32_t before;

    BEGIN(sleep_deeply);
    timer = osTimerNew(count, osTimerOnce, NULL, NULL);
    osTimerStart(timer, 100);
    ROW(osKernelSuspend() > 90, 1, 0);
    ROW(osKernelGetState(), osKernelSuspended, osKernelSuspended);
    before = osKernelGetTickCount();
    osKernelResume(50);
    compare("osKernelResume", " sets the ticks forward where it can", osKernelGetTickCount() - before >= 49 || !SETS_TICKS, 1);
    ROW(osKernelGetState(), osKernelRunning, osKernelRunning);
    osTimerDelete(timer);
    END;
}

static void run(void *argument)
{
    (void)argument;
    self = osThreadGetId();
    TAKTOS_INTERRUPT_ENABLE(SPARE);
    semaphore = osSemaphoreNew(2, 0, &(osSemaphoreAttr_t){ .name = "semaphore" });
    kernel(0);
    threads(0);
    thread_flags(0);
    event_flags(0);
    timers(0);
    mutexes(0);
    mutexes_of_the_dead(0);
    pools(0);
    queues(0);
    semaphores(0);
    sleep_deeply(0);
    report();
}

int main(void)
{
    compare("osKernelGetState before all", "", osKernelGetState(), osKernelInactive);
    compare("osKernelStart before osKernelInitialize", "", osKernelStart(), osError);
    compare("osKernelInitialize", "", osKernelInitialize(), osOK);
    compare("osKernelGetState", "", osKernelGetState(), osKernelReady);
    compare("osKernelLock before osKernelStart", "", osKernelLock(), osError);
    compare("osThreadGetId before osKernelStart", "", (long)osThreadGetId(), 0);
    osThreadId_t first = osThreadNew(run, NULL, &(osThreadAttr_t){ .name = "run", .stack_size = 8192 });
    compare("osThreadGetState before osKernelStart", "", osThreadGetState(first), osThreadReady);
    osKernelStart();
    return 1;
}
