#include "sensor.h"

void sense(void *argument)
{
    for (uint32_t sample = 1; sample <= 4; sample++) {
        osMessageQueuePut(argument, &sample, 0, osWaitForever);
        osDelay(2);
    }
}
