/* The C library's <fcntl.h>, or where there is none what semaphores and message queues need of it.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#if __has_include(<_newlib_version.h>)
#include_next <fcntl.h>
#elif !defined(_FCNTL_H)
#define _FCNTL_H 1
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0x40
#define O_EXCL 0x80
#define O_NONBLOCK 0x800
#endif
