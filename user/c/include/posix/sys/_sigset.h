/* A set of signals. By this name newlib's headers take it instead of their own, which has no room for those that are queued.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef _SYS__SIGSET_H_
#define _SYS__SIGSET_H_
typedef unsigned long long __sigset_t;
#endif
