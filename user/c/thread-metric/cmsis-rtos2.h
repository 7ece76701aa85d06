/* Thread-Metric's calls by CMSIS-RTOS2, which has no osThreadResume in handlers: who is woken there waits for a flag. */
#include "cmsis_os2.h"

typedef osThreadId_t thread_t;

static osSemaphoreId_t semaphore;
static osMessageQueueId_t queue;
static osMemoryPoolId_t pool;

static inline void begin(void)
{
    expect(osKernelInitialize() == osOK);
    semaphore = osSemaphoreNew(1, 0, NULL);
    queue = osMessageQueueNew(MESSAGES, MESSAGE, NULL);
    pool = osMemoryPoolNew(BLOCKS, BLOCK, NULL);
    expect(semaphore != NULL && queue != NULL && pool != NULL);
}

static inline void start(void)
{
    osKernelStart();
}

static inline thread_t make(void (*function)(void *), void *argument, uint32_t priority)
{
    const osThreadAttr_t attributes = { .priority = (osPriority_t)priority, .attr_bits = osThreadJoinable };
    thread_t thread = osThreadNew(function, argument, &attributes);
    expect(thread != NULL);
    return thread;
}

static inline void wait_for(thread_t thread)
{
    expect(osThreadJoin(thread) == osOK);
}

static inline void end(thread_t thread)
{
    expect(osThreadTerminate(thread) == osOK);
    wait_for(thread);
}

static inline void yield(void)
{
    expect(osThreadYield() == osOK);
}

static inline void resume(thread_t thread)
{
    expect(osThreadResume(thread) == osOK);
}

static inline void suspend(thread_t thread)
{
    expect(osThreadSuspend(thread) == osOK);
}

static inline void wake(thread_t thread)
{
    expect((osThreadFlagsSet(thread, 1) & osFlagsError) == 0);
}

static inline void sleep(thread_t unused)
{
    (void)unused;
    expect(osThreadFlagsWait(1, osFlagsWaitAny, osWaitForever) == 1);
}

static inline void take(void)
{
    expect(osSemaphoreAcquire(semaphore, osWaitForever) == osOK);
}

static inline void give(void)
{
    expect(osSemaphoreRelease(semaphore) == osOK);
}

static inline void send(const void *message)
{
    expect(osMessageQueuePut(queue, message, 0, osWaitForever) == osOK);
}

static inline void receive(void *message)
{
    expect(osMessageQueueGet(queue, message, NULL, osWaitForever) == osOK);
}

static inline void *allocate(void)
{
    void *block = osMemoryPoolAlloc(pool, osWaitForever);
    expect(block != NULL);
    return block;
}

static inline void release(void *block)
{
    expect(osMemoryPoolFree(pool, block) == osOK);
}
