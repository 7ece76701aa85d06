/* Signals of POSIX (IEEE Std 1003.1-2017), instead of what the C library has of them; the book's page "C programs" says what differs: a handler
 * runs where its thread waits or begins to, or lets the signal through.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TAKTOS_POSIX_SIGNAL_H_
#define TAKTOS_POSIX_SIGNAL_H_

#include <sys/_sigset.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(_SIGSET_T_DECLARED)
#define _SIGSET_T_DECLARED
typedef __sigset_t sigset_t;
#endif
typedef int sig_atomic_t;
typedef void (*_sig_func_ptr)(int);

#define SIG_DFL ((_sig_func_ptr)0)
#define SIG_IGN ((_sig_func_ptr)1)
#define SIG_ERR ((_sig_func_ptr)-1)
/* For sigset alone. */
#define SIG_HOLD ((_sig_func_ptr)2)

#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGFPE 8
#define SIGKILL 9
#define SIGBUS 10
#define SIGSEGV 11
#define SIGSYS 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGURG 16
#define SIGSTOP 17
#define SIGTSTP 18
#define SIGCONT 19
#define SIGCHLD 20
#define SIGTTIN 21
#define SIGTTOU 22
#define SIGPOLL 23
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGUSR1 30
#define SIGUSR2 31
/* Those that are queued, and have a value with them. */
#define SIGRTMIN 32
#define SIGRTMAX 47
#define NSIG 48
#undef RTSIG_MAX
#define RTSIG_MAX 16

union sigval {
    int sival_int;
    void *sival_ptr;
};

typedef struct {
    int si_signo;
    int si_code;
    int si_errno;
    pid_t si_pid;
    uid_t si_uid;
    int si_status;
    long si_band;
    void *si_addr;
    union sigval si_value;
} siginfo_t;

#define SI_USER 1
#define SI_QUEUE 2
#define SI_TIMER 3
#define SI_ASYNCIO 4
#define SI_MESGQ 5
/* Of signals that processors and devices send, which are faults or none here. */
#define ILL_ILLOPC 101
#define ILL_ILLOPN 102
#define ILL_ILLADR 103
#define ILL_ILLTRP 104
#define ILL_PRVOPC 105
#define ILL_PRVREG 106
#define ILL_COPROC 107
#define ILL_BADSTK 108
#define FPE_INTDIV 101
#define FPE_INTOVF 102
#define FPE_FLTDIV 103
#define FPE_FLTOVF 104
#define FPE_FLTUND 105
#define FPE_FLTRES 106
#define FPE_FLTINV 107
#define FPE_FLTSUB 108
#define SEGV_MAPERR 101
#define SEGV_ACCERR 102
#define BUS_ADRALN 101
#define BUS_ADRERR 102
#define BUS_OBJERR 103
#define TRAP_BRKPT 101
#define TRAP_TRACE 102
#define CLD_EXITED 101
#define CLD_KILLED 102
#define CLD_DUMPED 103
#define CLD_TRAPPED 104
#define CLD_STOPPED 105
#define CLD_CONTINUED 106
#define POLL_IN 101
#define POLL_OUT 102
#define POLL_MSG 103
#define POLL_ERR 104
#define POLL_PRI 105
#define POLL_HUP 106

struct sigaction {
    union {
        void (*sa_handler)(int);
        void (*sa_sigaction)(int, siginfo_t *, void *);
    };
    sigset_t sa_mask;
    int sa_flags;
};

#define SA_NOCLDSTOP 1
#define SA_SIGINFO 2
#define SA_NODEFER 4
#define SA_RESETHAND 8
#define SA_RESTART 16
#define SA_NOCLDWAIT 32

#define SIG_SETMASK 0
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2

struct sigevent {
    int sigev_notify;
    int sigev_signo;
    union sigval sigev_value;
    void (*sigev_notify_function)(union sigval);
    pthread_attr_t *sigev_notify_attributes;
};

#define SIGEV_NONE 1
#define SIGEV_SIGNAL 2
#define SIGEV_THREAD 3

int sigemptyset(sigset_t *set);
int sigfillset(sigset_t *set);
int sigaddset(sigset_t *set, int number);
int sigdelset(sigset_t *set, int number);
int sigismember(const sigset_t *set, int number);

int sigaction(int number, const struct sigaction *action, struct sigaction *old);
_sig_func_ptr signal(int number, _sig_func_ptr handler);
_sig_func_ptr sigset(int number, _sig_func_ptr handler);

int pthread_kill(pthread_t thread, int number);
int kill(pid_t process, int number);
int raise(int number);
int sigqueue(pid_t process, int number, const union sigval value);

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int sigprocmask(int how, const sigset_t *set, sigset_t *old);
int sigpending(sigset_t *set);
int sigsuspend(const sigset_t *set);
int sighold(int number);
int sigrelse(int number);
int sigignore(int number);
int sigpause(int number);
int sigwait(const sigset_t *set, int *number);
int sigwaitinfo(const sigset_t *set, siginfo_t *info);
int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time);

#ifdef __cplusplus
}
#endif

#endif
