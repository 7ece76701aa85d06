/* The C library's <errno.h>, or where there is none the numbers of what the calls of POSIX threads tell. Each thread has an errno.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#if __has_include(<_newlib_version.h>)
#include_next <errno.h>
#elif !defined(_ERRNO_H)
#define _ERRNO_H 1
#ifdef __cplusplus
extern "C" {
#endif
int *__errno(void);
#ifdef __cplusplus
}
#endif
#define errno (*__errno())
#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EINTR 4
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define EINVAL 22
#define ENOSPC 28
#define EDOM 33
#define ERANGE 34
#define EDEADLK 35
#define ENAMETOOLONG 36
#define ENOSYS 38
#define EOVERFLOW 75
#define EMSGSIZE 90
#define ENOTSUP 95
#define ETIMEDOUT 110
#define ECANCELED 125
#define EOWNERDEAD 130
#define ENOTRECOVERABLE 131
#endif
