/* The C library's <sys/types.h>, or where there is none the types that newlib has there.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#if __has_include(<_newlib_version.h>)
#include_next <sys/types.h>
#include <sys/_pthreadtypes.h>
#elif !defined(_SYS_TYPES_H)
#define _SYS_TYPES_H 1
#include <stddef.h>
#include <sys/_pthreadtypes.h>
typedef long time_t;
typedef int pid_t;
typedef unsigned short uid_t;
typedef unsigned short gid_t;
typedef short dev_t;
typedef unsigned short ino_t;
typedef unsigned short nlink_t;
typedef long blksize_t;
typedef long blkcnt_t;
typedef unsigned long long fsblkcnt_t;
typedef unsigned int fsfilcnt_t;
typedef long suseconds_t;
typedef int clockid_t;
typedef unsigned long timer_t;
typedef unsigned int useconds_t;
typedef long ssize_t;
typedef long off_t;
typedef unsigned int mode_t;
#endif
