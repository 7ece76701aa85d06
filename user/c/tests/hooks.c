/* FreeRTOS's hooks: functions of the program's that are called of themselves, as its settings say; and functions of the C library's that the
 * program has itself.
 * Owns: the cases. Must never know: the board, but for what guards its stacks. */
#define configUSE_TICK_HOOK 1
#define configUSE_IDLE_HOOK 1
#define configUSE_MALLOC_FAILED_HOOK 1
#define configCHECK_FOR_STACK_OVERFLOW 2
#define configUSE_DAEMON_TASK_STARTUP_HOOK 1
#define configTIMER_TASK_PRIORITY 6

#include "FreeRTOS.h"
#include "semphr.h"
#include "task.h"
#include "timers.h"

#include "check.h"

#define IS(expression, expected) compare(#expression, "", (long)(expression), (long)(expected))

static volatile uint32_t ticks, idle, failed, begun;
static SemaphoreHandle_t every_second;
static TaskHandle_t deep;

void vApplicationTickHook(void)
{
    ticks++;
    if (ticks % 2 == 0) {
        xSemaphoreGiveFromISR(every_second, NULL);
    }
}

void vApplicationIdleHook(void)
{
    idle++;
}

void vApplicationMallocFailedHook(void)
{
    failed++;
}

void vApplicationDaemonTaskStartupHook(void)
{
    begun++;
    IS(xTaskGetCurrentTaskHandle() == xTimerGetTimerDaemonTaskHandle(), 1);
    IS(uxTaskPriorityGet(NULL), 6);
}

void vApplicationStackOverflowHook(TaskHandle_t task, char *name)
{
    IS(task == deep, 1);
    IS(name[0], 'd');
    report();
}

static int descend(volatile int *above)
{
    volatile int room[4] = {*above + 1};

    return room[0] < 0 ? 0 : descend(room) + room[3];
}

static void go_deep(void *unused)
{
    volatile int depth = 0;

    (void)unused;
    descend(&depth);
}

/* In own.c. */
int rand(void);
int iprintf(const char *format, ...);

static void run(void *unused)
{
    TickType_t begin = xTaskGetTickCount();
    uint32_t before = ticks;

    (void)unused;
    (void)in_a_handler;
    IS(rand(), -4);
    IS(iprintf("%d", 1), 'd');
    IS(begun, 0);
    vTaskDelay(10);
    IS(begun, 1);
    IS(xTaskGetTickCount() - begin, 10);
    IS(ticks - before, 10);
    IS(idle > 0, 1);
    begin = xTaskGetTickCount();
    xSemaphoreTake(every_second, 0);
    for (int i = 0; i < 5; i++) {
        IS(xSemaphoreTake(every_second, 3), pdTRUE);
    }
    IS(xTaskGetTickCount() - begin <= 10, 1);
    IS(pvPortMalloc((size_t)1 << 30), 0);
    IS(failed, 1);
    IS(xQueueCreate(1 << 20, 1 << 10), 0);
    IS(failed, 2);
#if __ARM_ARCH_PROFILE == 'M'
    IS(xTaskCreate(go_deep, "deep", 256, NULL, 7, &deep), pdPASS);
    vTaskDelay(1);
    IS(0, 1);
#endif
    report();
}

int main(void)
{
    every_second = xSemaphoreCreateBinary();
    xTaskCreate(run, "main", 1024, NULL, 9, NULL);
    vTaskStartScheduler();
    return 1;
}
