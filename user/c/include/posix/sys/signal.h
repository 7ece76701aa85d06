/* Signals of POSIX by the name that older programs have for them.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <signal.h>
