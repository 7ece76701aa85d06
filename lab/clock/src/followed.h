/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the counter that follows one processor needs at the beginning (counter.h has the rest). */
#ifndef TAKTOS_FOLLOWED_H
#define TAKTOS_FOLLOWED_H

#include <stdbool.h>

/* After the timing table has been read. `each_alone`: each instruction is a run of its own: the slow twin, for tests. */
void followed_begin(bool each_alone);

/* The processor was made; false, with a line on standard error, when its registers are not shown. */
bool followed_add_processor(void);

#endif
