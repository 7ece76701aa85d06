/* The C library's <errno.h>, or where there is none its numbers of what the calls of POSIX tell. Each thread has an errno.
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
#define EIO 5
#define ENXIO 6
#define E2BIG 7
#define ENOEXEC 8
#define EBADF 9
#define ECHILD 10
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EFAULT 14
#define EBUSY 16
#define EEXIST 17
#define EXDEV 18
#define ENODEV 19
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define ENOTTY 25
#define ETXTBSY 26
#define EFBIG 27
#define ENOSPC 28
#define ESPIPE 29
#define EROFS 30
#define EMLINK 31
#define EPIPE 32
#define EDOM 33
#define ERANGE 34
#define EDEADLK 45
#define ENAMETOOLONG 91
#define ENOLCK 46
#define ENOSYS 88
#define ENOTEMPTY 90
#define ELOOP 92
#define EWOULDBLOCK EAGAIN
#define ENOMSG 35
#define EIDRM 36
#define ENOSTR 60
#define ENODATA 61
#define ETIME 62
#define ENOSR 63
#define ENOLINK 67
#define EPROTO 71
#define EMULTIHOP 74
#define EBADMSG 77
#define EOVERFLOW 139
#define EILSEQ 138
#define ENOTSOCK 108
#define EDESTADDRREQ 121
#define EMSGSIZE 122
#define EPROTOTYPE 107
#define ENOPROTOOPT 109
#define EPROTONOSUPPORT 123
#define ENOTSUP 134
#define EOPNOTSUPP ENOTSUP
#define EAFNOSUPPORT 106
#define EADDRINUSE 112
#define EADDRNOTAVAIL 125
#define ENETDOWN 115
#define ENETUNREACH 114
#define ENETRESET 126
#define ECONNABORTED 113
#define ECONNRESET 104
#define ENOBUFS 105
#define EISCONN 127
#define ENOTCONN 128
#define ETIMEDOUT 116
#define ECONNREFUSED 111
#define EHOSTUNREACH 118
#define EALREADY 120
#define EINPROGRESS 119
#define ESTALE 133
#define EDQUOT 132
#define ECANCELED 140
#define EOWNERDEAD 142
#define ENOTRECOVERABLE 141
#endif
