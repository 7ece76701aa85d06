/* The kernel's services for C programs: threads, the objects by which they work together, time; an end, a console, interrupts.
 *
 * An object lies in memory of the program's, of the type that is named like it, and is made by its init. A call says 0 (TAKTOS_OK) or an error, a negative
 * number. Besides those that are named, each call of an object gives TAKTOS_ERROR_PARAMETER where there is none, and TAKTOS_ERROR_DELETED where it is deleted
 * while the call waits; each that may wait in a thread gives TAKTOS_ERROR_CONTEXT in a handler, unless the caller says TAKTOS_NO_WAIT and the comment that this is
 * allowed. A pointer for an answer may be null where the answer is of no use. Calls of the standard (cmsis_os2.h) can stand in the same program: threads are the same.
 *
 * Written by `cargo xtask header` from user/c/src/native.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TAKTOS_H_
#define TAKTOS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKTOS_OK 0
#define TAKTOS_ERROR_TIMEOUT (-1) /* the time given has passed */
#define TAKTOS_ERROR_WOULD_BLOCK (-2) /* not available now, and the call was not to wait */
#define TAKTOS_ERROR_DELETED (-3) /* the object or the partner is gone */
#define TAKTOS_ERROR_CONTEXT (-4) /* not allowed here: the call can block */
#define TAKTOS_ERROR_PARAMETER (-5) /* an argument is out of range */
#define TAKTOS_ERROR_STATE (-6) /* not in a state that allows the call */
#define TAKTOS_ERROR_NOT_OWNER (-7) /* the caller does not own the mutex */
#define TAKTOS_ERROR_DEADLOCK (-8) /* the threads would wait for each other */
#define TAKTOS_ERROR_CEILING (-9) /* the caller is more urgent than the ceiling */
#define TAKTOS_ERROR_LIMIT (-10) /* a counter or queue is at its limit */
#define TAKTOS_ERROR_NO_MEMORY (-11) /* nothing of that size is free */
#define TAKTOS_ERROR_IN_USE (-12) /* the object is still in use */
#define TAKTOS_ERROR_CANCELLED (-13) /* another thread ended the wait */
#define TAKTOS_ERROR_OWNER_DIED (-14) /* the mutex is the caller's; its owner ended with it locked */
#define TAKTOS_ERROR_NOT_RECOVERABLE (-15) /* what a dead owner left was not repaired */

/* How long a call may wait, in nanoseconds: not at all, as long as it takes, for a span, until an instant (of taktos_now). */
typedef uint64_t taktos_time_t;
#define TAKTOS_NO_WAIT ((taktos_time_t)0)
#define TAKTOS_FOREVER UINT64_MAX
#define TAKTOS_MICROS(count) ((taktos_time_t)(count) * 1000U)
#define TAKTOS_MILLIS(count) ((taktos_time_t)(count) * 1000000U)
#define TAKTOS_SECONDS(count) ((taktos_time_t)(count) * 1000000000U)
#define TAKTOS_UNTIL(instant) ((taktos_time_t)(instant) | (taktos_time_t)1 << 63)

/* A thread: an osThreadId_t. */
typedef void *taktos_thread_t;
/* What threads, alarms and work call. */
typedef void (*taktos_function_t)(void *argument);
/* A message and who sent it: null for a thread that C has not made. */
typedef struct {
    taktos_thread_t sender;
    uintptr_t words[2];
    bool wants_reply;
} taktos_received_t;

/* One of several objects that a thread waits for. `kind` is one of TAKTOS_POLL_..., `object` the address of such an object; null for a notification. */
typedef struct {
    uint32_t kind;
    uint32_t flags;       /* the flags that are waited for, or the bits to be cleared of a notification's word */
    uint32_t options;     /* those of taktos_events_wait */
    int32_t code;         /* of the event that ended the poll: TAKTOS_OK or its own error */
    void *object;
    void *place;          /* where a queue's message or a pipe's bytes are wanted */
    size_t length;        /* how many bytes of a pipe there is space for */
    uintptr_t found;      /* see taktos_poll */
    uintptr_t words[40] __attribute__((aligned(8))); /* the poll's own */
} taktos_poll_t;

/* Threads: those of CMSIS-RTOS2, by the same handle, and the start. */

#define TAKTOS_THREAD_NON_EXISTENT 0
#define TAKTOS_THREAD_ENDED 1
#define TAKTOS_THREAD_READY 2
#define TAKTOS_THREAD_RUNNING 3
#define TAKTOS_THREAD_BLOCKED 4

/* Makes the kernel ready: threads and objects can be made from here on. Errors: State a second time. */
int32_t taktos_initialize(void);

/* Starts the threads; does not come back. Errors: State before taktos_initialize, and a second time. */
int32_t taktos_start(void);

/* Makes a thread that calls entry with argument, of the priority 1 to 56 (the most urgent), and starts it once the kernel has started. The stack is the program's, or comes from the heap where it is null (stack_size bytes, the usual size where that is 0). It is joined by taktos_thread_join. Null in a handler, without memory, and for what is no priority. */
taktos_thread_t taktos_thread_create(const char *name, uint32_t priority, taktos_function_t entry, void *argument, void *stack, size_t stack_size);

/* The calling thread; the one that was interrupted, in a handler. */
taktos_thread_t taktos_thread_current(void);

/* TAKTOS_THREAD_... : what a thread does; TAKTOS_THREAD_NON_EXISTENT for what is none. Allowed in handlers. */
int32_t taktos_thread_state(taktos_thread_t thread);

/* The priority that a thread was given, or an error. Allowed in handlers. */
int32_t taktos_thread_priority(taktos_thread_t thread);

/* Gives a thread another priority, 1 to 56. Allowed in handlers. Errors: State for one that has ended; Parameter. */
int32_t taktos_thread_set_priority(taktos_thread_t thread, uint32_t priority);

/* Lets the next thread of the caller's priority run. */
void taktos_yield(void);

/* Keeps a thread from running until it is resumed. Allowed in handlers. Errors: State for one that has ended; Parameter. */
int32_t taktos_thread_suspend(taktos_thread_t thread);

/* Lets a suspended thread run again. Allowed in handlers. Errors: State if it is not suspended; Parameter. */
int32_t taktos_thread_resume(taktos_thread_t thread);

/* Ends the wait of a thread: its call fails with Cancelled. Allowed in handlers. Errors: State if it does not wait; Parameter. */
int32_t taktos_thread_cancel_wait(taktos_thread_t thread);

/* Waits until a thread has ended, and gives its memory back: its handle is none then. Errors: Timeout, WouldBlock, Cancelled; State for the caller, and one that another thread joins; Parameter; Context in a handler. */
int32_t taktos_thread_join(taktos_thread_t thread, taktos_time_t time);

/* Ends the calling thread. */
void taktos_thread_exit(void);

/* Ends a thread in any state: its mutexes are unlocked, and threads that wait for it get Deleted. Errors: State for one that has ended; Parameter; Context in a handler. */
int32_t taktos_thread_stop(taktos_thread_t thread);

/* Time: nanoseconds since the start, in 64 bits. */

/* The nanoseconds since the start. Allowed in handlers. */
uint64_t taktos_now(void);

/* Does nothing for a time, or until an instant. Errors: Cancelled; Context in a handler. */
int32_t taktos_sleep(taktos_time_t time);

/* The length of the turns of threads of one priority, in nanoseconds; none where it is 0. */
int32_t taktos_set_time_slice(uint64_t length);

/* Semaphores: a count of permits, and threads that wait for one. */

typedef struct { uintptr_t words[8]; } __attribute__((aligned(8))) taktos_semaphore_t;

/* Makes a semaphore with count permits and at most limit. Errors: Parameter unless 1 <= limit and count <= limit. */
int32_t taktos_semaphore_init(taktos_semaphore_t *semaphore, uint32_t count, uint32_t limit);

/* Gives a permit: to the most urgent waiter, or to the count. Allowed in handlers. Errors: Limit. */
int32_t taktos_semaphore_give(taktos_semaphore_t *semaphore);

/* Takes a permit. Allowed in handlers without waiting. Errors: Timeout, WouldBlock, Cancelled; Context in a handler that would have to wait. */
int32_t taktos_semaphore_take(taktos_semaphore_t *semaphore, taktos_time_t time);

/* The number of permits, or an error. Allowed in handlers. */
int64_t taktos_semaphore_count(taktos_semaphore_t *semaphore);

/* Deletes it: its waiters get Deleted. */
int32_t taktos_semaphore_delete(taktos_semaphore_t *semaphore);

/* Mutexes: one owner at a time, without priority inversion. */

typedef struct { uintptr_t words[12]; } __attribute__((aligned(8))) taktos_mutex_t;
#define TAKTOS_MUTEX_RECURSIVE 1
#define TAKTOS_MUTEX_NO_INHERITANCE 2
#define TAKTOS_MUTEX_ROBUST 4
#define TAKTOS_MUTEX_STAYS_LOCKED 8

/* Makes a mutex, of TAKTOS_MUTEX_... options: recursive; without inheritance; robust: the next owner gets OwnerDied when the owner has ended; or one that stays locked then. Without options the most urgent waiter's priority is inherited, and it is unlocked when its owner ends. Errors: Parameter for other options, or the last two together. */
int32_t taktos_mutex_init(taktos_mutex_t *mutex, uint32_t options);

/* Makes a mutex with a ceiling, the priority ceiling (1 to 56, 56 the most urgent): a thread that locks it has that priority until it unlocks it. Options but for TAKTOS_MUTEX_NO_INHERITANCE as above. Errors: Parameter if ceiling is not a priority, and as above. */
int32_t taktos_mutex_init_ceiling(taktos_mutex_t *mutex, uint32_t ceiling, uint32_t options);

/* Locks it. Errors: Timeout, WouldBlock, Cancelled, Deadlock, Ceiling, Limit, NotRecoverable; OwnerDied, where the caller owns it all the same; Context in a handler. */
int32_t taktos_mutex_lock(taktos_mutex_t *mutex, taktos_time_t time);

/* Unlocks it. Errors: NotOwner; Context in a handler. */
int32_t taktos_mutex_unlock(taktos_mutex_t *mutex);

/* Marks as consistent what an ended owner has left: the mutex is as any other again. Errors: NotOwner, State; Context in a handler. */
int32_t taktos_mutex_make_consistent(taktos_mutex_t *mutex);

/* Deletes it: its waiters get Deleted. Errors: InUse while it is owned. */
int32_t taktos_mutex_delete(taktos_mutex_t *mutex);

/* Condition variables: waiting for a change of what a mutex protects. */

typedef struct { uintptr_t words[8]; } __attribute__((aligned(8))) taktos_condition_t;

/* Makes a condition variable. */
int32_t taktos_condition_init(taktos_condition_t *condition);

/* Unlocks mutex, which the caller owns once, waits for a signal, and locks the mutex again, whatever the answer. Errors: Timeout, WouldBlock, Cancelled, NotOwner, State; Context in a handler. */
int32_t taktos_condition_wait(taktos_condition_t *condition, taktos_mutex_t *mutex, taktos_time_t time);

/* Wakes the most urgent waiter. Allowed in handlers. */
int32_t taktos_condition_signal(taktos_condition_t *condition);

/* Wakes all waiters. Allowed in handlers. */
int32_t taktos_condition_broadcast(taktos_condition_t *condition);

/* Deletes it: its waiters get Deleted. */
int32_t taktos_condition_delete(taktos_condition_t *condition);

/* Event flags: 32 in a group, and threads that wait for any or all of some. */

typedef struct { uintptr_t words[8]; } __attribute__((aligned(8))) taktos_events_t;
#define TAKTOS_EVENTS_ALL 1
#define TAKTOS_EVENTS_TAKE 2

/* Makes a group in which flags are set. */
int32_t taktos_events_init(taktos_events_t *events, uint32_t flags);

/* Sets flags, in addition to those that are set, and wakes all waiters with a condition that holds then. Allowed in handlers. */
int32_t taktos_events_set(taktos_events_t *events, uint32_t flags);

/* Clears flags; before, if it is not null, gets those that were set. Allowed in handlers. */
int32_t taktos_events_clear(taktos_events_t *events, uint32_t flags, uint32_t *before);

/* The flags that are set; none where there is no group. Allowed in handlers. */
uint32_t taktos_events_get(taktos_events_t *events);

/* Waits for any of flags, or, with TAKTOS_EVENTS_ALL, for all; with TAKTOS_EVENTS_TAKE they are cleared at that moment. found, if it is not null, gets all that were set. Allowed in handlers without waiting. Errors: Timeout, WouldBlock, Cancelled; Parameter for no flags, or other options; Context in a handler that would have to wait. */
int32_t taktos_events_wait(taktos_events_t *events, uint32_t flags, uint32_t options, taktos_time_t time, uint32_t *found);

/* Sets flags, and then waits until all of awaited are set and clears these, in one step: of threads that meet, each with a flag of its own, all come through when the last one has set its flag. found, if it is not null, gets all that were set then. Errors: Timeout, WouldBlock, Cancelled, after which flags stay set; Parameter for none that is awaited; Context in a handler. */
int32_t taktos_events_set_and_take_all(taktos_events_t *events, uint32_t flags, uint32_t awaited, taktos_time_t time, uint32_t *found);

/* Deletes the group: its waiters get Deleted. */
int32_t taktos_events_delete(taktos_events_t *events);

/* Notifications: one word of a thread, without an object. */

#define TAKTOS_NOTIFY_SET_BITS 0
#define TAKTOS_NOTIFY_INCREMENT 1
#define TAKTOS_NOTIFY_OVERWRITE 2
#define TAKTOS_NOTIFY_SET_WITHOUT_OVERWRITE 3

/* Notifies a thread by TAKTOS_NOTIFY_... : sets bits of its word, adds one, makes it another, or does that unless there is a notification that it has not taken. Allowed in handlers. Errors: State for a thread that does not run; Limit; Parameter. */
int32_t taktos_notify(taktos_thread_t thread, uint32_t action, uint32_t word);

/* Waits for a notification of the calling thread; word, if it is not null, gets its word, of which the bits clear are cleared then. Errors: Timeout, WouldBlock, Cancelled; Context in a handler. */
int32_t taktos_notify_wait(uint32_t clear, uint32_t *word, taktos_time_t time);

/* Waits until the calling thread's word is not 0, and takes one from it; word, if it is not null, gets what it was. Errors: as above. */
int32_t taktos_notify_take(uint32_t *word, taktos_time_t time);

/* Message queues: messages of one size, by priority, first in first out among equals. */

typedef struct { uintptr_t words[32]; } __attribute__((aligned(8))) taktos_queue_t;

/* The bytes of memory that a queue of count messages of size bytes needs; 0 where there is no such queue. */
size_t taktos_queue_memory(size_t size, size_t count);

/* Makes a queue of count messages of size bytes, in memory of bytes bytes at a multiple of a word, which is the queue's from then on. Errors: Parameter for memory that is too small, and a size or count of 0. */
int32_t taktos_queue_init(taktos_queue_t *queue, size_t size, size_t count, uintptr_t *memory, size_t bytes);

/* Sends a copy of a message; those of a higher priority are received first. Allowed in handlers without waiting. Errors: Timeout, WouldBlock, Cancelled; Context in a handler that would have to wait. */
int32_t taktos_queue_send(taktos_queue_t *queue, const void *message, uint8_t priority, taktos_time_t time);

/* Receives a message; priority, if it is not null, gets its priority. Allowed in handlers without waiting. Errors: as above. */
int32_t taktos_queue_receive(taktos_queue_t *queue, void *message, uint8_t *priority, taktos_time_t time);

/* How many messages there are, or an error. Allowed in handlers. */
ptrdiff_t taktos_queue_length(taktos_queue_t *queue);

/* Forgets all messages. Allowed in handlers. */
int32_t taktos_queue_reset(taktos_queue_t *queue);

/* Deletes it: its waiters get Deleted. The memory is the program's again. */
int32_t taktos_queue_delete(taktos_queue_t *queue);

/* Mailboxes: letters of a word, for a named thread or for any thread, with space for 8. */

typedef struct { uintptr_t words[80]; } __attribute__((aligned(8))) taktos_mailbox_t;

/* Makes a mailbox. */
int32_t taktos_mailbox_init(taktos_mailbox_t *mailbox);

/* Leaves a letter for a thread, or for anyone (null); waits for space only. Allowed in handlers without waiting. Errors: Timeout, WouldBlock, Cancelled; Context in a handler that would have to wait. */
int32_t taktos_mailbox_post(taktos_mailbox_t *mailbox, uintptr_t word, taktos_thread_t to, taktos_time_t time);

/* Leaves a letter and waits until it has been taken. Errors: as above; Context in a handler. */
int32_t taktos_mailbox_send(taktos_mailbox_t *mailbox, uintptr_t word, taktos_thread_t to, taktos_time_t time);

/* Takes a letter from a thread, or from anyone (null): word gets it, sender gets its sender, or null for a handler. Errors: Timeout, WouldBlock, Cancelled; Context in a handler. */
int32_t taktos_mailbox_receive(taktos_mailbox_t *mailbox, taktos_thread_t from, uintptr_t *word, taktos_thread_t *sender, taktos_time_t time);

/* Deletes it: its waiters get Deleted. */
int32_t taktos_mailbox_delete(taktos_mailbox_t *mailbox);

/* FIFOs: 16 words that handlers push and threads wait for. */

typedef struct { uintptr_t words[32]; } __attribute__((aligned(8))) taktos_fifo_t;

/* Makes a FIFO. */
int32_t taktos_fifo_init(taktos_fifo_t *fifo);

/* Puts a word in. Allowed in handlers. Errors: Limit where 16 are there. */
int32_t taktos_fifo_push(taktos_fifo_t *fifo, uintptr_t word);

/* Takes the word that was put in first, which word gets. Allowed in handlers without waiting. Errors: Timeout, WouldBlock, Cancelled; Context in a handler that would have to wait. */
int32_t taktos_fifo_pop(taktos_fifo_t *fifo, uintptr_t *word, taktos_time_t time);

/* How many words there are, or an error. Allowed in handlers. */
ptrdiff_t taktos_fifo_length(taktos_fifo_t *fifo);

/* Deletes it: its waiters get Deleted. */
int32_t taktos_fifo_delete(taktos_fifo_t *fifo);

/* Pipes: streams of bytes, with room for 256. */

typedef struct { uintptr_t words[80]; } __attribute__((aligned(8))) taktos_pipe_t;

/* Makes a pipe. */
int32_t taktos_pipe_init(taktos_pipe_t *pipe);

/* Writes as many bytes as there is space for, and waits as long as these are fewer than at_least. Returns how many, or an error, with which some may have been written. Allowed in handlers without waiting. Errors: Timeout, WouldBlock, Cancelled; Parameter if at_least > length; Context in a handler that would have to wait. */
ptrdiff_t taktos_pipe_write(taktos_pipe_t *pipe, const void *data, size_t length, size_t at_least, taktos_time_t time);

/* Reads as many bytes as there are, and waits as long as these are fewer than at_least. The answer is how many, or an error. Otherwise as above. */
ptrdiff_t taktos_pipe_read(taktos_pipe_t *pipe, void *data, size_t length, size_t at_least, taktos_time_t time);

/* Deletes it: its waiters get Deleted. */
int32_t taktos_pipe_delete(taktos_pipe_t *pipe);

/* Pools: memory blocks of one size. */

typedef struct { uintptr_t words[24]; } __attribute__((aligned(8))) taktos_pool_t;

/* The bytes of memory that a pool of count blocks of size bytes needs; 0 where there is no such pool. */
size_t taktos_pool_memory(size_t size, size_t count);

/* Makes a pool of count blocks of size bytes, in memory of bytes bytes at a multiple of a word, which is the pool's from then on. Errors: Parameter for memory that is too small, and a size or count of 0. */
int32_t taktos_pool_init(taktos_pool_t *pool, size_t size, size_t count, uintptr_t *memory, size_t bytes);

/* Takes a free block; block gets its address. Allowed in handlers without waiting. Errors: Timeout, WouldBlock, Cancelled; Context in a handler that would have to wait. */
int32_t taktos_pool_allocate(taktos_pool_t *pool, void **block, taktos_time_t time);

/* Gives a block back: to the most urgent waiter, or to the pool. Allowed in handlers. Errors: Parameter for what is no block of the pool's; State for one that is free, where that can be seen. */
int32_t taktos_pool_free(taktos_pool_t *pool, const void *block);

/* How many blocks are in use, or an error. Allowed in handlers. */
ptrdiff_t taktos_pool_used(taktos_pool_t *pool);

/* Deletes it: its waiters get Deleted. The memory is the program's again. */
int32_t taktos_pool_delete(taktos_pool_t *pool);

/* Polls: a thread waits for the first of several objects. */

#define TAKTOS_POLL_SEMAPHORE 0
#define TAKTOS_POLL_QUEUE 1
#define TAKTOS_POLL_FIFO 2
#define TAKTOS_POLL_EVENTS 3
#define TAKTOS_POLL_PIPE 4
#define TAKTOS_POLL_NOTIFICATION 5
#define TAKTOS_POLL_MEMORY 40

/* Waits until the first of the operations that events describes ends, and does just this one: the number of its event, or an error. The event then has its code and what was found: the priority of a message, the word of a FIFO, all flags that were set, the number of bytes read, the word of a notification; the others are as before. Errors: Timeout, WouldBlock, Cancelled; Parameter unless there are 1 to 8 events, of different objects; Context in a handler. */
ptrdiff_t taktos_poll(taktos_poll_t *events, size_t count, taktos_time_t time);

/* Direct messages: thread to thread in fixed time, two words. */

/* Sends two words to a thread and waits until it has received them. Errors: Timeout, WouldBlock, Deleted, Deadlock, Parameter; Context in a handler. */
int32_t taktos_send(taktos_thread_t thread, uintptr_t first, uintptr_t second, taktos_time_t time);

/* Receives two words from any thread, the most urgent sender first. Errors: Timeout, WouldBlock, Cancelled; Context in a handler. */
int32_t taktos_receive(taktos_received_t *received, taktos_time_t time);

/* Sends two words to a thread and waits for its reply, which reply gets, if it is not null. Until then the thread has at least the caller's priority. Errors: as taktos_send. */
int32_t taktos_call(taktos_thread_t thread, uintptr_t first, uintptr_t second, uintptr_t reply[2], taktos_time_t time);

/* Replies to the call of a thread. Never waits. Errors: State if it does not wait for the caller's reply; Context in a handler. */
int32_t taktos_reply(taktos_thread_t thread, uintptr_t first, uintptr_t second);

/* Replies to the call of a thread, then receives: the two steps of a server's loop. Errors: those of both. */
int32_t taktos_reply_and_receive(taktos_thread_t thread, uintptr_t first, uintptr_t second, taktos_received_t *received, taktos_time_t time);

/* Periods: a thread that calls `taktos_period_next` once a round becomes a periodic one. */

typedef struct { uintptr_t words[64]; } __attribute__((aligned(8))) taktos_period_t;

/* Makes a period, which does not exist until a thread creates it. */
int32_t taktos_period_init(taktos_period_t *period);

/* Creates the period: the caller owns it. Errors: State if it exists; Context in a handler. */
int32_t taktos_period_create(taktos_period_t *period);

/* Begins the period, or ends the present job and waits for the next release, length nanoseconds after the last. Errors: Timeout where the job was late, and jobs were postponed; NotOwner, Deleted, Parameter, Cancelled; Context in a handler. */
int32_t taktos_period_next(taktos_period_t *period, uint64_t length);

/* Ends the period without waiting: the next call of taktos_period_next begins it again. Errors: NotOwner, Deleted, State. */
int32_t taktos_period_cancel(taktos_period_t *period);

/* Deletes the period; it can be created again. Errors: Deleted if it does not exist. */
int32_t taktos_period_delete(taktos_period_t *period);

/* Alarms: a function that is called at an instant, in the timers' thread (the priority 40). */

typedef struct { uintptr_t words[32]; } __attribute__((aligned(8))) taktos_alarm_t;

/* Makes an alarm that calls function with argument. Errors: Parameter without a function. */
int32_t taktos_alarm_init(taktos_alarm_t *alarm, taktos_function_t function, void *argument);

/* Starts it: it calls once, after a time or at an instant. Allowed in handlers. Errors: Parameter for a time that is none or never comes. */
int32_t taktos_alarm_once(taktos_alarm_t *alarm, taktos_time_t time);

/* Starts it: it calls first after a time or at an instant, then every interval nanoseconds. Allowed in handlers. Errors: as above. */
int32_t taktos_alarm_periodic(taktos_alarm_t *alarm, taktos_time_t first, uint64_t interval);

/* Starts it as a watchdog: it calls unless it is fed again and again before span nanoseconds have passed. Allowed in handlers. Errors: as above. */
int32_t taktos_alarm_watchdog(taktos_alarm_t *alarm, uint64_t span);

/* Feeds a watchdog. Allowed in handlers. Errors: State unless it runs as one. */
int32_t taktos_alarm_feed(taktos_alarm_t *alarm);

/* Stops it: 1 if it ran, 0 if not, or an error. Allowed in handlers. */
int32_t taktos_alarm_stop(taktos_alarm_t *alarm);

/* Deletes it, running or not. */
int32_t taktos_alarm_delete(taktos_alarm_t *alarm);

/* Deferred work: functions that handlers leave to a thread. */

typedef struct { uintptr_t words[12]; } __attribute__((aligned(8))) taktos_work_queue_t;
typedef struct { uintptr_t words[16]; } __attribute__((aligned(8))) taktos_work_t;

/* Makes a queue of work. */
int32_t taktos_work_queue_init(taktos_work_queue_t *queue);

/* Does the work in the calling thread, for ever: comes back with the error that ended its wait. Errors: Deleted, Cancelled; Context in a handler. */
int32_t taktos_work_queue_serve(taktos_work_queue_t *queue);

/* Deletes it: a thread that serves it returns. */
int32_t taktos_work_queue_delete(taktos_work_queue_t *queue);

/* Makes work for the thread that serves queue: to call function with argument. Errors: Parameter without a function or a queue. */
int32_t taktos_work_init(taktos_work_t *work, taktos_work_queue_t *queue, taktos_function_t function, void *argument);

/* Queues the work, once, after the work that is queued already. Allowed in handlers: 1 if it is new there, 0 if it was queued before, or an error. Errors: Deleted if the queue is. */
int32_t taktos_work_defer(taktos_work_t *work);

/* Takes it back: 1 if it waited, 0 if not, or an error. Allowed in handlers. */
int32_t taktos_work_cancel(taktos_work_t *work);

/* Ends the program; in an emulator, which ends with `status` then (0: success). */
__attribute__((noreturn)) void taktos_exit(int32_t status);

/* Writes so many characters to the board's console. Allowed everywhere. What is not UTF-8 is left out. */
void taktos_write(const char *text, size_t length);

/* The handler of the interrupt with this number, a plain one or a macro of one, as the board's interrupt controller counts: on a Cortex-M the
 * position in the chip's table of vectors, on an Arm GIC 32 + n for the shared interrupt n, on RISC-V 16 + n for the source n of the PLIC.
 *
 *     TAKTOS_INTERRUPT(13) { osSemaphoreRelease(received); }
 *     ...
 *     TAKTOS_INTERRUPT_ENABLE(13);
 *
 * It may call what the standard allows in handlers. On a Cortex-M priorities can also be set by the usual means: osKernelInitialize and
 * the start of the kernel put all interrupts of a higher priority (below 0x80) at the kernel's level, 0x80. A handler whose priority is set
 * above it when the kernel runs is never delayed by the kernel; its calls of CMSIS-RTOS2 give osErrorISR, others end the program. */
#define TAKTOS_INTERRUPT(number) void TAKTOS_INTERRUPT_NAME(number)(void)
#define TAKTOS_INTERRUPT_ENABLE(number) taktos_interrupt_enable(number, TAKTOS_INTERRUPT_NAME(number))
#define TAKTOS_INTERRUPT_NAME(number) TAKTOS_INTERRUPT_NAME_OF(number)
#define TAKTOS_INTERRUPT_NAME_OF(number) taktos_interrupt_##number

/* Lets an interrupt reach its handler, keeps it back, makes it pending as its device would: 0, or -4 for one that the board has not. */
int32_t taktos_interrupt_enable(uint32_t number, void (*handler)(void));
int32_t taktos_interrupt_disable(uint32_t number);
int32_t taktos_interrupt_pend(uint32_t number);

#ifdef __cplusplus
}
#endif

#endif /* TAKTOS_H_ */
