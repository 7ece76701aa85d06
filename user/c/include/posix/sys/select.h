/* The C library's <sys/select.h>, or where there is none the same of our own.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#if __has_include(<_newlib_version.h>)
#include_next <sys/select.h>
#elif !defined(_SYS_SELECT_H)
#define _SYS_SELECT_H 1
#include <sys/types.h>
#include <time.h>

#define FD_SETSIZE 64

typedef struct {
    unsigned long long taktos;
} fd_set;

struct timeval {
    time_t tv_sec;
    suseconds_t tv_usec;
};

#define FD_ZERO(set) ((set)->taktos = 0)
#define FD_SET(file, set) ((set)->taktos |= 1ULL << (file))
#define FD_CLR(file, set) ((set)->taktos &= ~(1ULL << (file)))
#define FD_ISSET(file, set) (((set)->taktos >> (file) & 1) != 0)

#ifdef __cplusplus
extern "C" {
#endif
int select(int count, fd_set *reads, fd_set *writes, fd_set *errors, struct timeval *time);
#ifdef __cplusplus
}
#endif
#endif
