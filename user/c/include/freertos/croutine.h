/* FreeRTOS's co-routines are not there: a program that does not use them may read this header all the same.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CO_ROUTINE_H
#define CO_ROUTINE_H

#include "FreeRTOS.h"

#if configUSE_CO_ROUTINES
#error "Taktos has no co-routines: make tasks of them, and set configUSE_CO_ROUTINES to 0"
#endif

#endif /* CO_ROUTINE_H */
