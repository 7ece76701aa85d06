/* The C library's <fcntl.h>, or where there is none what there is of it, with the same numbers.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <sys/types.h>
#if __has_include(<_newlib_version.h>)
#include_next <fcntl.h>
#elif !defined(_FCNTL_H)
#define _FCNTL_H 1
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_ACCMODE 3
#define O_APPEND 0x8
#define O_CREAT 0x200
#define O_TRUNC 0x400
#define O_EXCL 0x800
#define O_SYNC 0x2000
#define O_NONBLOCK 0x4000
#define O_NOCTTY 0x8000
#define O_CLOEXEC 0x40000
#define O_DIRECTORY 0x200000
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define FD_CLOEXEC 1
#endif
#ifdef __cplusplus
extern "C" {
#endif
int open(const char *path, int flags, ...);
int creat(const char *path, mode_t mode);
int fcntl(int file, int command, ...);
int posix_fallocate(int file, off_t at, off_t size);
#ifdef __cplusplus
}
#endif
