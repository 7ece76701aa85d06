/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be seen of threads from outside: two words of a control block tell whether its thread could run, or a byte
 * elsewhere does. It owns which threads are known and how each stood last; it must never know what a thread waits for.
 */
#ifndef TAKTOS_THREADS_H
#define TAKTOS_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/* A byte for each of `count` threads: the first one's control block and how far the next ones lie from it, the same of the
 * bytes. A thread could run whose byte is at least `able`. */
struct bytes {
    uint64_t first, stride, count, byte, step, able;
};

/* Where the words are in a control block, as the image says; or bytes, of which there are none where `count` is 0. */
struct thread_layout {
    struct bytes bytes;
    uint64_t urgency;   /* 32 bits: priorities and flags */
    uint64_t wait;      /* what the thread waits for; 0: nothing */
    uint32_t suspended; /* the flag of a thread that was suspended */
    uint32_t word;      /* bytes of `wait` */
    uint64_t (*read)(uint64_t address, uint32_t bytes);
};

/* How a thread stands. */
struct standing {
    uint64_t wait;
    uint32_t urgency;
    bool known; /* false: the image does not tell */
};

/* The threads of one image, of which none is known yet. */
struct threads;
struct threads *threads_of(struct thread_layout layout);

/* How the thread with this control block stands now; 0: no thread. From now on stores to its words are noticed. Of threads
 * NULL nothing is known. */
struct standing threads_look(struct threads *threads, uint64_t thread);

/* A thread that has become ready, and the last that it waited for; a thread of 0: none has. */
struct woken {
    uint64_t thread, waited;
};

/* The thread that a store to [address, address + width) has made ready, which it was not. */
struct woken threads_woken(struct threads *threads, uint64_t address, uint64_t width);

/* Whether such a store could be to a word of a known thread. */
bool threads_near(const struct threads *threads, uint64_t address, uint64_t width);

#endif
