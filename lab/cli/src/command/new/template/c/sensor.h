#ifndef SENSOR_H_
#define SENSOR_H_

#include "cmsis_os2.h"

/* A thread that sends samples to the queue that is its argument. */
void sense(void *argument);

#endif /* SENSOR_H_ */
