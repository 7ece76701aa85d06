/* Two threads and a queue: one sends numbers, the other adds them up. */
#include "sensor.h"
#include "taktos.h"

static void say(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0') {
        length++;
    }
    taktos_write(text, length);
}

static void add_up(void *argument)
{
    osMessageQueueId_t samples = argument;
    uint32_t sum = 0;
    uint32_t sample;

    while (osMessageQueueGet(samples, &sample, NULL, 10) == osOK) {
        sum += sample;
    }
    say(sum == 10 ? "the sum is 10\n" : "the sum is wrong\n");
    taktos_exit(sum == 10 ? 0 : 1);
}

int main(void)
{
    osKernelInitialize();
    osMessageQueueId_t samples = osMessageQueueNew(8, sizeof(uint32_t), NULL);
    const osThreadAttr_t adder = { .name = "adder", .priority = osPriorityBelowNormal };
    const osThreadAttr_t sensor = { .name = "sensor", .priority = osPriorityHigh };
    osThreadNew(add_up, samples, &adder);
    osThreadNew(sense, samples, &sensor);
    osKernelStart();
    return 1;
}
