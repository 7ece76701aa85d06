/* Every call of taktos.h but the start's, with its errors, in a thread and in a handler: what it gives back.
 * Owns: the table. Must never know: the board, but for an interrupt that no device has. */
#include "cmsis_os2.h"
#include "taktos.h"

#include "check.h"

#define E(name) TAKTOS_ERROR_##name
#define MS TAKTOS_MILLIS(1)
/* An instant that has passed. */
#define PAST TAKTOS_UNTIL(1)

static taktos_semaphore_t semaphore, no_semaphore, gate;
static taktos_mutex_t mutex, recursive, ceiling, robust, taken;
static taktos_condition_t condition;
static taktos_events_t events;
static taktos_queue_t queue;
static taktos_pool_t pool;
static taktos_fifo_t fifo;
static taktos_pipe_t pipe_of_bytes;
static taktos_mailbox_t mailbox;
static taktos_period_t period;
static taktos_alarm_t alarm_of_count, dog;
static taktos_work_queue_t work_queue;
static taktos_work_t work;
static taktos_thread_t self, sleeper, worker, server, other;
static uintptr_t memory[64], word, words[2];
static uint32_t found;
static uint8_t priority, letters[8];
static volatile int count, worked;
static void *block;
static taktos_received_t received;

static void wait_for_ever(void *unused)
{
    (void)unused;
    for (;;) {
        taktos_sleep(TAKTOS_FOREVER);
    }
}

static void end_at_once(void *unused)
{
    (void)unused;
}

static void count_up(void *argument)
{
    *(volatile int *)argument += 1;
}

static void serve_work(void *unused)
{
    (void)unused;
    count = taktos_work_queue_serve(&work_queue);
}

/* Gives back the sum and the difference. */
static void serve_calls(void *unused)
{
    taktos_received_t letter;
    int32_t code = taktos_receive(&letter, TAKTOS_FOREVER);

    (void)unused;
    while (code == TAKTOS_OK) {
        uintptr_t sum = letter.words[0] + letter.words[1];
        uintptr_t difference = letter.words[0] - letter.words[1];
        if (letter.wants_reply) {
            code = taktos_reply_and_receive(letter.sender, sum, difference, &letter, TAKTOS_FOREVER);
        } else {
            word = sum;
            code = taktos_receive(&letter, TAKTOS_FOREVER);
        }
    }
}

static void own_and_end(void *unused)
{
    (void)unused;
    taktos_mutex_lock(&robust, TAKTOS_FOREVER);
    taktos_mutex_lock(&taken, TAKTOS_FOREVER);
}

/* Signals the condition when the main thread waits for it. */
static void signal_later(void *unused)
{
    (void)unused;
    taktos_mutex_lock(&mutex, TAKTOS_FOREVER);
    taktos_condition_signal(&condition);
    taktos_mutex_unlock(&mutex);
}

static void give_later(void *unused)
{
    (void)unused;
    taktos_sleep(MS);
    taktos_semaphore_give(&gate);
}

static void threads(int row)
{
    static taktos_thread_t ended;

    BEGIN(threads);
    ROW(taktos_initialize(), E(STATE), E(STATE));
    ROW(taktos_start(), E(STATE), E(STATE));
    ROW(taktos_thread_create("none", 24, NULL, NULL, NULL, 0), 0, 0);
    ROW(taktos_thread_create("none", 0, end_at_once, NULL, NULL, 0), 0, 0);
    ROW(taktos_thread_create("none", 57, end_at_once, NULL, NULL, 0), 0, 0);
    sleeper = taktos_thread_create("sleeper", 30, wait_for_ever, NULL, NULL, 0);
    ended = taktos_thread_create("ended", 30, end_at_once, NULL, NULL, 0);
    ROW(taktos_thread_create("more", 30, end_at_once, NULL, NULL, 0) != NULL, 1, 0);
    ROW(taktos_thread_current() == self, 1, 1);
    ROW(taktos_thread_current() == osThreadGetId(), 1, 1);
    ROW(taktos_thread_state(NULL), TAKTOS_THREAD_NON_EXISTENT, TAKTOS_THREAD_NON_EXISTENT);
    ROW(taktos_thread_state(ended), TAKTOS_THREAD_ENDED, TAKTOS_THREAD_ENDED);
    ROW(taktos_thread_state(self), TAKTOS_THREAD_RUNNING, TAKTOS_THREAD_RUNNING);
    ROW(taktos_thread_state(sleeper), TAKTOS_THREAD_BLOCKED, TAKTOS_THREAD_BLOCKED);
    ROW(taktos_thread_priority(NULL), E(PARAMETER), E(PARAMETER));
    ROW(taktos_thread_priority(ended), E(STATE), E(STATE));
    ROW(taktos_thread_set_priority(sleeper, 0), E(PARAMETER), E(PARAMETER));
    ROW(taktos_thread_set_priority(sleeper, 57), E(PARAMETER), E(PARAMETER));
    ROW(taktos_thread_set_priority(NULL, 3), E(PARAMETER), E(PARAMETER));
    ROW(taktos_thread_set_priority(ended, 3), E(STATE), E(STATE));
    ROW(taktos_thread_set_priority(sleeper, 31), TAKTOS_OK, TAKTOS_OK);
    ROW(taktos_thread_priority(sleeper), 31, 31);
    ROW(taktos_thread_suspend(NULL), E(PARAMETER), E(PARAMETER));
    ROW(taktos_thread_suspend(ended), E(STATE), E(STATE));
    ROW(taktos_thread_resume(sleeper), E(STATE), E(STATE));
    ROW(taktos_thread_suspend(sleeper), TAKTOS_OK, TAKTOS_OK);
    ROW(taktos_thread_suspend(sleeper) + taktos_thread_resume(sleeper), TAKTOS_OK, TAKTOS_OK);
    ROW(taktos_thread_resume(NULL), E(PARAMETER), E(PARAMETER));
    ROW(taktos_thread_cancel_wait(NULL), E(PARAMETER), E(PARAMETER));
    ROW(taktos_thread_cancel_wait(self), E(STATE), E(STATE));
    ROW(taktos_thread_cancel_wait(sleeper), TAKTOS_OK, TAKTOS_OK);
    taktos_sleep(MS);
    ROW(taktos_thread_join(NULL, TAKTOS_NO_WAIT), E(PARAMETER), E(CONTEXT));
    ROW(taktos_thread_join(self, TAKTOS_NO_WAIT), E(STATE), E(CONTEXT));
    ROW(taktos_thread_join(sleeper, TAKTOS_NO_WAIT), E(WOULD_BLOCK), E(CONTEXT));
    ROW(taktos_thread_join(sleeper, MS), E(TIMEOUT), E(CONTEXT));
    compare("taktos_thread_join", " one that has ended", taktos_thread_join(ended, TAKTOS_FOREVER), TAKTOS_OK);
    compare("taktos_thread_join", " again", taktos_thread_join(ended, TAKTOS_FOREVER), E(PARAMETER));
    ROW(taktos_thread_stop(NULL), E(PARAMETER), E(CONTEXT));
    compare("taktos_thread_stop", "", taktos_thread_stop(sleeper), TAKTOS_OK);
    ROW(taktos_thread_stop(sleeper), E(STATE), E(CONTEXT));
    compare("taktos_thread_join", " one that was stopped", taktos_thread_join(sleeper, TAKTOS_FOREVER), TAKTOS_OK);
    ROW((taktos_yield(), 0), 0, 0);
    END;
}

static void time(int row)
{
    BEGIN(time);
    ROW(taktos_now() > 0, 1, 1);
    ROW(taktos_sleep(MS), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_sleep(TAKTOS_NO_WAIT), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_sleep(PAST), TAKTOS_OK, E(CONTEXT));
    compare("taktos_sleep", " until", taktos_sleep(TAKTOS_UNTIL(taktos_now() + MS)), TAKTOS_OK);
    ROW(taktos_set_time_slice(TAKTOS_MILLIS(5)), TAKTOS_OK, TAKTOS_OK);
    ROW(taktos_set_time_slice(0), TAKTOS_OK, TAKTOS_OK);
    END;
}

static void semaphores(int row)
{
    BEGIN(semaphores);
    ROW(taktos_semaphore_init(NULL, 0, 1), E(PARAMETER), E(PARAMETER));
    ROW(taktos_semaphore_init(&semaphore, 0, 0), E(PARAMETER), E(PARAMETER));
    ROW(taktos_semaphore_init(&semaphore, 2, 1), E(PARAMETER), E(PARAMETER));
    ROW(taktos_semaphore_init(&semaphore, 0, 1), TAKTOS_OK, E(STATE));
    ROW(taktos_semaphore_give(NULL), E(PARAMETER), E(PARAMETER));
    ROW(taktos_semaphore_give(&no_semaphore), E(PARAMETER), E(PARAMETER));
    ROW(taktos_semaphore_take(&no_semaphore, TAKTOS_FOREVER), E(PARAMETER), E(PARAMETER));
    ROW(taktos_semaphore_count(&no_semaphore), E(PARAMETER), E(PARAMETER));
    ROW(taktos_semaphore_take(&semaphore, TAKTOS_NO_WAIT), E(WOULD_BLOCK), E(CONTEXT));
    ROW(taktos_semaphore_take(&semaphore, MS), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_semaphore_take(&semaphore, PAST), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_semaphore_give(&semaphore), TAKTOS_OK, E(LIMIT));
    ROW(taktos_semaphore_count(&semaphore), 1, 1);
    ROW(taktos_semaphore_take(&semaphore, TAKTOS_NO_WAIT) + taktos_semaphore_give(&semaphore), TAKTOS_OK, TAKTOS_OK);
    other = taktos_thread_create("giver", 30, give_later, NULL, NULL, 0);
    compare("taktos_semaphore_take", " waiting", taktos_semaphore_take(&gate, TAKTOS_FOREVER), TAKTOS_OK);
    taktos_thread_join(other, TAKTOS_FOREVER);
    ROW(taktos_semaphore_delete(&no_semaphore), E(PARAMETER), E(PARAMETER));
    ROW(taktos_semaphore_delete(&semaphore), TAKTOS_OK, E(PARAMETER));
    ROW(taktos_semaphore_give(&semaphore), E(PARAMETER), E(PARAMETER));
    END;
}

static void mutexes(int row)
{
    BEGIN(mutexes);
    ROW(taktos_mutex_init(NULL, 0), E(PARAMETER), E(PARAMETER));
    ROW(taktos_mutex_init(&mutex, 16), E(PARAMETER), E(PARAMETER));
    ROW(taktos_mutex_init(&mutex, TAKTOS_MUTEX_ROBUST | TAKTOS_MUTEX_STAYS_LOCKED), E(PARAMETER), E(PARAMETER));
    ROW(taktos_mutex_init_ceiling(&ceiling, 0, 0), E(PARAMETER), E(PARAMETER));
    ROW(taktos_mutex_init_ceiling(&ceiling, 57, 0), E(PARAMETER), E(PARAMETER));
    ROW(taktos_mutex_init_ceiling(&ceiling, 24, TAKTOS_MUTEX_NO_INHERITANCE), E(PARAMETER), E(PARAMETER));
    ROW(taktos_mutex_lock(&mutex, TAKTOS_FOREVER), E(PARAMETER), E(PARAMETER));
    ROW(taktos_mutex_init(&mutex, 0), TAKTOS_OK, E(STATE));
    taktos_mutex_init(&recursive, TAKTOS_MUTEX_RECURSIVE | TAKTOS_MUTEX_NO_INHERITANCE);
    taktos_mutex_init(&robust, TAKTOS_MUTEX_ROBUST);
    taktos_mutex_init(&taken, TAKTOS_MUTEX_STAYS_LOCKED);
    ROW(taktos_mutex_init_ceiling(&ceiling, 10, 0), TAKTOS_OK, E(STATE));
    ROW(taktos_mutex_unlock(&mutex), E(NOT_OWNER), E(CONTEXT));
    ROW(taktos_mutex_lock(&mutex, TAKTOS_FOREVER), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_mutex_lock(&mutex, TAKTOS_FOREVER), E(DEADLOCK), E(CONTEXT));
    ROW(taktos_mutex_delete(&mutex), E(IN_USE), E(IN_USE));
    ROW(taktos_mutex_make_consistent(&mutex), E(STATE), E(CONTEXT));
    ROW(taktos_mutex_unlock(&mutex), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_mutex_lock(&recursive, TAKTOS_NO_WAIT), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_mutex_lock(&recursive, TAKTOS_NO_WAIT), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_mutex_unlock(&recursive), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_mutex_unlock(&recursive), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_mutex_unlock(&recursive), E(NOT_OWNER), E(CONTEXT));
    ROW(taktos_mutex_lock(&ceiling, TAKTOS_NO_WAIT), E(CEILING), E(CONTEXT));
    other = taktos_thread_create("owner", 30, own_and_end, NULL, NULL, 0);
    taktos_thread_join(other, TAKTOS_FOREVER);
    ROW(taktos_mutex_lock(&taken, TAKTOS_NO_WAIT), E(WOULD_BLOCK), E(CONTEXT));
    ROW(taktos_mutex_lock(&taken, MS), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_mutex_lock(&robust, TAKTOS_NO_WAIT), E(OWNER_DIED), E(CONTEXT));
    ROW(taktos_mutex_make_consistent(&robust), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_mutex_unlock(&robust), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_mutex_delete(&robust), TAKTOS_OK, E(PARAMETER));
    END;
}

static void conditions(int row)
{
    BEGIN(conditions);
    ROW(taktos_condition_signal(&condition), E(PARAMETER), E(PARAMETER));
    ROW(taktos_condition_init(&condition), TAKTOS_OK, E(STATE));
    ROW(taktos_condition_wait(&condition, &robust, TAKTOS_NO_WAIT), E(PARAMETER), E(PARAMETER));
    ROW(taktos_condition_wait(&condition, &mutex, MS), E(NOT_OWNER), E(CONTEXT));
    taktos_mutex_lock(&mutex, TAKTOS_FOREVER);
    ROW(taktos_condition_wait(&condition, &mutex, MS), E(TIMEOUT), E(CONTEXT));
    other = taktos_thread_create("signaller", 30, signal_later, NULL, NULL, 0);
    ROW(taktos_condition_wait(&condition, &mutex, TAKTOS_SECONDS(1)), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_mutex_unlock(&mutex), TAKTOS_OK, E(CONTEXT));
    taktos_thread_join(other, TAKTOS_FOREVER);
    ROW(taktos_condition_signal(&condition), TAKTOS_OK, TAKTOS_OK);
    ROW(taktos_condition_broadcast(&condition), TAKTOS_OK, TAKTOS_OK);
    ROW(taktos_condition_delete(&condition), TAKTOS_OK, E(PARAMETER));
    END;
}

static void flags(int row)
{
    BEGIN(flags);
    ROW(taktos_events_set(&events, 1), E(PARAMETER), E(PARAMETER));
    ROW(taktos_events_init(&events, 1), TAKTOS_OK, E(STATE));
    ROW(taktos_events_set(&events, 4), TAKTOS_OK, TAKTOS_OK);
    ROW(taktos_events_get(&events), 5, 5);
    ROW(taktos_events_get(NULL), 0, 0);
    ROW(taktos_events_wait(&events, 0, 0, MS, NULL), E(PARAMETER), E(PARAMETER));
    ROW(taktos_events_wait(&events, 1, 4, MS, NULL), E(PARAMETER), E(PARAMETER));
    ROW(taktos_events_wait(&events, 6, 0, TAKTOS_NO_WAIT, &found), TAKTOS_OK, TAKTOS_OK);
    ROW(found, 5, 5);
    ROW(taktos_events_wait(&events, 6, TAKTOS_EVENTS_ALL, TAKTOS_NO_WAIT, &found), E(WOULD_BLOCK), E(CONTEXT));
    ROW(taktos_events_wait(&events, 6, TAKTOS_EVENTS_ALL, MS, &found), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_events_wait(&events, 5, TAKTOS_EVENTS_ALL | TAKTOS_EVENTS_TAKE, MS, NULL), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_events_get(&events), 0, 0);
    ROW(taktos_events_set(&events, 7) + taktos_events_clear(&events, 2, &found), TAKTOS_OK, TAKTOS_OK);
    ROW(found, 7, 7);
    ROW(taktos_events_wait(&events, 1, TAKTOS_EVENTS_TAKE, MS, &found), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_events_get(&events), 4, 4);
    ROW(taktos_events_set_and_take_all(&events, 1, 0, MS, NULL), E(PARAMETER), E(PARAMETER));
    ROW(taktos_events_set_and_take_all(NULL, 1, 1, MS, NULL), E(PARAMETER), E(PARAMETER));
    ROW(taktos_events_set_and_take_all(&events, 8, 12, MS, &found), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_events_get(&events), 0, 0);
    ROW(taktos_events_set_and_take_all(&events, 2, 3, MS, &found), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_events_set_and_take_all(&events, 0, 1, TAKTOS_NO_WAIT, &found), E(WOULD_BLOCK), E(CONTEXT));
    ROW(taktos_events_clear(NULL, 2, NULL), E(PARAMETER), E(PARAMETER));
    ROW(taktos_events_delete(&events), TAKTOS_OK, E(PARAMETER));
    END;
}

static void notifications(int row)
{
    BEGIN(notifications);
    ROW(taktos_notify(NULL, TAKTOS_NOTIFY_INCREMENT, 0), E(PARAMETER), E(PARAMETER));
    ROW(taktos_notify(self, 4, 0), E(PARAMETER), E(PARAMETER));
    ROW(taktos_notify_wait(0, &found, TAKTOS_NO_WAIT), E(WOULD_BLOCK), E(CONTEXT));
    ROW(taktos_notify_wait(0, &found, MS), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_notify(self, TAKTOS_NOTIFY_OVERWRITE, 6), TAKTOS_OK, TAKTOS_OK);
    ROW(taktos_notify(self, TAKTOS_NOTIFY_SET_WITHOUT_OVERWRITE, 7), E(LIMIT), E(LIMIT));
    ROW(taktos_notify(self, TAKTOS_NOTIFY_SET_BITS, 1), TAKTOS_OK, TAKTOS_OK);
    ROW(taktos_notify_wait(7, &found, TAKTOS_FOREVER), TAKTOS_OK, E(CONTEXT));
    ROW(found, 7, 7);
    ROW(taktos_notify_take(&found, MS), E(TIMEOUT), E(CONTEXT));
    compare("taktos_notify", " in a thread", taktos_notify(self, TAKTOS_NOTIFY_INCREMENT, 0), TAKTOS_OK);
    ROW(taktos_notify_take(&found, MS), TAKTOS_OK, E(CONTEXT));
    ROW(found, 1, 1);
    END;
}

static void queues(int row)
{
    static size_t bytes;

    BEGIN(queues);
    bytes = taktos_queue_memory(4, 2);
    ROW(taktos_queue_memory(0, 2), 0, 0);
    ROW(taktos_queue_memory(4, 2) > 8, 1, 1);
    ROW(taktos_queue_init(&queue, 4, 2, NULL, bytes), E(PARAMETER), E(PARAMETER));
    ROW(taktos_queue_init(&queue, 4, 2, memory, bytes - 1), E(PARAMETER), E(PARAMETER));
    ROW(taktos_queue_init(&queue, 4, 0, memory, sizeof memory), E(PARAMETER), E(PARAMETER));
    ROW(taktos_queue_send(&queue, "abcd", 0, TAKTOS_NO_WAIT), E(PARAMETER), E(PARAMETER));
    ROW(taktos_queue_init(&queue, 4, 2, memory, bytes), TAKTOS_OK, E(STATE));
    ROW(taktos_queue_receive(&queue, letters, NULL, TAKTOS_NO_WAIT), E(WOULD_BLOCK), E(CONTEXT));
    ROW(taktos_queue_receive(&queue, letters, NULL, MS), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_queue_send(&queue, NULL, 0, MS), E(PARAMETER), E(PARAMETER));
    ROW(taktos_queue_send(&queue, "abcd", 1, TAKTOS_NO_WAIT), TAKTOS_OK, TAKTOS_OK);
    ROW(taktos_queue_length(&queue), 2, 2);
    ROW(taktos_queue_send(&queue, "efgh", 1, TAKTOS_NO_WAIT), E(WOULD_BLOCK), E(CONTEXT));
    ROW(taktos_queue_send(&queue, "efgh", 1, MS), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_queue_receive(&queue, NULL, NULL, MS), E(PARAMETER), E(PARAMETER));
    ROW(taktos_queue_receive(&queue, letters, &priority, TAKTOS_NO_WAIT), TAKTOS_OK, TAKTOS_OK);
    ROW(letters[0] == 'a' && letters[3] == 'd' && priority == 1, 1, 1);
    compare("taktos_queue_send", "", taktos_queue_send(&queue, "lowl", 1, MS), TAKTOS_OK);
    compare("taktos_queue_send", "", taktos_queue_send(&queue, "high", 2, MS), TAKTOS_OK);
    compare("taktos_queue_receive", "", taktos_queue_receive(&queue, letters, &priority, MS), TAKTOS_OK);
    compare("the more urgent message", "", letters[0], 'h');
    ROW(taktos_queue_reset(&queue), TAKTOS_OK, TAKTOS_OK);
    ROW(taktos_queue_length(&queue), 0, 0);
    ROW(taktos_queue_delete(&queue), TAKTOS_OK, E(PARAMETER));
    ROW(taktos_queue_length(&queue), E(PARAMETER), E(PARAMETER));
    END;
}

static void give_semaphore_later(void *unused)
{
    (void)unused;
    taktos_sleep(MS);
    taktos_semaphore_give(&semaphore);
}

static void delete_fifo_later(void *unused)
{
    (void)unused;
    taktos_sleep(MS);
    taktos_fifo_delete(&fifo);
}

/* The main thread waits for all kinds of objects at once; each comes in its turn. */
static void polls(int row)
{
    static uintptr_t of_queue[64];
    static taktos_poll_t all[9];

    BEGIN(polls);
    ROW(taktos_poll(NULL, 1, MS), E(PARAMETER), E(CONTEXT));
    ROW(taktos_poll(all, 0, MS), E(PARAMETER), E(CONTEXT));
    ROW(taktos_poll(all, 9, MS), E(PARAMETER), E(CONTEXT));
    all[0] = (taktos_poll_t){ .kind = TAKTOS_POLL_SEMAPHORE, .object = &semaphore };
    all[1] = (taktos_poll_t){ .kind = TAKTOS_POLL_QUEUE, .object = &queue };
    all[2] = (taktos_poll_t){ .kind = TAKTOS_POLL_FIFO, .object = &fifo };
    all[3] = (taktos_poll_t){ .kind = TAKTOS_POLL_EVENTS, .object = &events, .flags = 6, .options = 4 };
    all[4] = (taktos_poll_t){ .kind = TAKTOS_POLL_PIPE, .object = &pipe_of_bytes, .length = sizeof letters };
    all[5] = (taktos_poll_t){ .kind = TAKTOS_POLL_NOTIFICATION, .flags = 1 };
    all[6] = (taktos_poll_t){ .kind = 6, .object = &semaphore };
    ROW(taktos_poll(all, 1, MS), E(PARAMETER), E(CONTEXT));
    taktos_semaphore_init(&semaphore, 0, 1);
    taktos_queue_init(&queue, 4, 2, of_queue, sizeof of_queue);
    taktos_fifo_init(&fifo);
    taktos_events_init(&events, 0);
    taktos_pipe_init(&pipe_of_bytes);
    ROW(taktos_poll(all, 1, TAKTOS_NO_WAIT), E(WOULD_BLOCK), E(CONTEXT));
    ROW(taktos_poll(all, 2, MS), E(PARAMETER), E(CONTEXT));
    all[1].place = memory;
    ROW(taktos_poll(all, 3, MS), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_poll(all, 4, MS), E(PARAMETER), E(CONTEXT));
    all[3].options = TAKTOS_EVENTS_ALL | TAKTOS_EVENTS_TAKE;
    ROW(taktos_poll(all, 5, MS), E(PARAMETER), E(CONTEXT));
    all[4].place = letters;
    ROW(taktos_poll(all, 6, MS), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_poll(all, 7, MS), E(PARAMETER), E(CONTEXT));
    all[6].kind = TAKTOS_POLL_SEMAPHORE;
    ROW(taktos_poll(all, 7, MS), E(PARAMETER), E(CONTEXT));
    other = taktos_thread_create("giver", 30, give_semaphore_later, NULL, NULL, 0);
    compare("a permit", "", (long)taktos_poll(all, 6, TAKTOS_SECONDS(1)), 0);
    compare("its code", "", all[0].code, TAKTOS_OK);
    taktos_thread_join(other, TAKTOS_FOREVER);
    taktos_notify(self, TAKTOS_NOTIFY_OVERWRITE, 7);
    taktos_pipe_write(&pipe_of_bytes, "xy", 2, 2, TAKTOS_NO_WAIT);
    taktos_events_set(&events, 7);
    taktos_fifo_push(&fifo, 5);
    taktos_queue_send(&queue, "word", 3, TAKTOS_NO_WAIT);
    compare("a message", "", (long)taktos_poll(all, 6, MS), 1);
    compare("its bytes", "", ((char *)memory)[0] == 'w' && ((char *)memory)[3] == 'd', 1);
    compare("its priority", "", (long)all[1].found, 3);
    compare("a word", "", (long)taktos_poll(all, 6, MS), 2);
    compare("the word", "", (long)all[2].found, 5);
    compare("flags", "", (long)taktos_poll(all, 6, MS), 3);
    compare("the flags", "", (long)all[3].found, 7);
    compare("flags left", "", (long)taktos_events_get(&events), 1);
    compare("bytes", "", (long)taktos_poll(all, 6, MS), 4);
    compare("how many", "", (long)all[4].found, 2);
    compare("the bytes", "", letters[0] == 'x' && letters[1] == 'y', 1);
    compare("a notification", "", (long)taktos_poll(all, 6, MS), 5);
    compare("its word", "", (long)all[5].found, 7);
    compare("nothing", "", (long)taktos_poll(all, 6, MS), E(TIMEOUT));
    other = taktos_thread_create("deleter", 30, delete_fifo_later, NULL, NULL, 0);
    compare("a deletion", "", (long)taktos_poll(all, 6, TAKTOS_SECONDS(1)), 2);
    compare("its code", "", all[2].code, E(DELETED));
    taktos_thread_join(other, TAKTOS_FOREVER);
    taktos_queue_delete(&queue);
    taktos_events_delete(&events);
    taktos_pipe_delete(&pipe_of_bytes);
    taktos_semaphore_delete(&semaphore);
    END;
}

static void pools(int row)
{
    static size_t bytes;

    BEGIN(pools);
    bytes = taktos_pool_memory(8, 1);
    ROW(taktos_pool_memory(8, 0), 0, 0);
    ROW(taktos_pool_init(&pool, 8, 1, memory, bytes - 1), E(PARAMETER), E(PARAMETER));
    ROW(taktos_pool_init(&pool, 8, 1, memory, bytes), TAKTOS_OK, E(STATE));
    ROW(taktos_pool_allocate(&pool, NULL, MS), E(PARAMETER), E(PARAMETER));
    ROW(taktos_pool_allocate(&pool, &block, MS), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_pool_used(&pool), 1, 1);
    ROW(taktos_pool_allocate(&pool, &block, TAKTOS_NO_WAIT), E(WOULD_BLOCK), E(CONTEXT));
    ROW(taktos_pool_allocate(&pool, &block, MS), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_pool_free(&pool, letters), E(PARAMETER), E(PARAMETER));
    ROW(taktos_pool_free(&pool, block), TAKTOS_OK, ANYTHING);
    ROW(taktos_pool_used(&pool), 0, 0);
    ROW(taktos_pool_delete(&pool), TAKTOS_OK, E(PARAMETER));
    ROW(taktos_pool_used(&pool), E(PARAMETER), E(PARAMETER));
    END;
}

static void stores(int row)
{
    BEGIN(stores);
    ROW(taktos_fifo_push(&fifo, 1), E(PARAMETER), E(PARAMETER));
    ROW(taktos_fifo_init(&fifo), TAKTOS_OK, E(STATE));
    ROW(taktos_fifo_pop(&fifo, &word, TAKTOS_NO_WAIT), E(WOULD_BLOCK), E(CONTEXT));
    ROW(taktos_fifo_pop(&fifo, &word, MS), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_fifo_push(&fifo, 5), TAKTOS_OK, TAKTOS_OK);
    ROW(taktos_fifo_pop(&fifo, &word, MS), TAKTOS_OK, TAKTOS_OK);
    ROW(word, 5, 5);
    for (int i = 0; i < 16; i++) {
        compare("taktos_fifo_push", "", taktos_fifo_push(&fifo, 1), TAKTOS_OK);
    }
    ROW(taktos_fifo_push(&fifo, 1), E(LIMIT), E(LIMIT));
    ROW(taktos_fifo_length(&fifo), 16, 16);
    ROW(taktos_fifo_delete(&fifo), TAKTOS_OK, E(PARAMETER));
    ROW(taktos_fifo_length(&fifo), E(PARAMETER), E(PARAMETER));

    ROW(taktos_pipe_write(&pipe_of_bytes, "a", 1, 1, MS), E(PARAMETER), E(PARAMETER));
    ROW(taktos_pipe_init(&pipe_of_bytes), TAKTOS_OK, E(STATE));
    ROW(taktos_pipe_read(&pipe_of_bytes, letters, 8, 1, TAKTOS_NO_WAIT), E(WOULD_BLOCK), E(CONTEXT));
    ROW(taktos_pipe_read(&pipe_of_bytes, letters, 8, 1, MS), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_pipe_read(&pipe_of_bytes, letters, 8, 9, MS), E(PARAMETER), E(PARAMETER));
    ROW(taktos_pipe_write(&pipe_of_bytes, NULL, 3, 3, MS), E(PARAMETER), E(PARAMETER));
    ROW(taktos_pipe_write(&pipe_of_bytes, "xyz", 3, 3, TAKTOS_NO_WAIT), 3, 3);
    ROW(taktos_pipe_read(&pipe_of_bytes, letters, 3, 3, TAKTOS_NO_WAIT), 3, 3);
    ROW(letters[0] == 'x' && letters[2] == 'z', 1, 1);
    ROW(taktos_pipe_read(&pipe_of_bytes, letters, 3, 0, MS), 0, 0);
    ROW(taktos_pipe_delete(&pipe_of_bytes), TAKTOS_OK, E(PARAMETER));
    END;
}

static void mailboxes(int row)
{
    static taktos_thread_t sender = NULL;

    BEGIN(mailboxes);
    ROW(taktos_mailbox_post(&mailbox, 1, NULL, MS), E(PARAMETER), E(PARAMETER));
    ROW(taktos_mailbox_init(&mailbox), TAKTOS_OK, E(STATE));
    ROW(taktos_mailbox_receive(&mailbox, NULL, &word, NULL, TAKTOS_NO_WAIT), E(WOULD_BLOCK), E(CONTEXT));
    ROW(taktos_mailbox_receive(&mailbox, NULL, &word, NULL, MS), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_mailbox_send(&mailbox, 1, NULL, MS), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_mailbox_post(&mailbox, 1, &letters, MS), E(PARAMETER), E(PARAMETER));
    compare("taktos_mailbox_post", "", taktos_mailbox_post(&mailbox, 9, self, TAKTOS_NO_WAIT), TAKTOS_OK);
    compare("taktos_mailbox_receive", "", taktos_mailbox_receive(&mailbox, self, &word, &sender, MS), TAKTOS_OK);
    compare("the letter", "", word == 9 && sender == self, 1);
    ROW(taktos_mailbox_post(&mailbox, 7, NULL, TAKTOS_NO_WAIT), TAKTOS_OK, TAKTOS_OK);
    compare("taktos_mailbox_receive", "", taktos_mailbox_receive(&mailbox, NULL, &word, &sender, MS), TAKTOS_OK);
    ROW(taktos_mailbox_delete(&mailbox), TAKTOS_OK, E(PARAMETER));
    END;
}

static void messages(int row)
{
    BEGIN(messages);
    server = taktos_thread_create("server", 30, serve_calls, NULL, NULL, 0);
    ROW(taktos_send(NULL, 1, 2, MS), E(PARAMETER), E(PARAMETER));
    ROW(taktos_call(NULL, 1, 2, words, MS), E(PARAMETER), E(PARAMETER));
    ROW(taktos_receive(NULL, MS), E(PARAMETER), E(PARAMETER));
    ROW(taktos_receive(&received, TAKTOS_NO_WAIT), E(WOULD_BLOCK), E(CONTEXT));
    ROW(taktos_receive(&received, MS), E(TIMEOUT), E(CONTEXT));
    ROW(taktos_call(server, 7, 2, words, MS), TAKTOS_OK, E(CONTEXT));
    ROW(words[0] == 9 && words[1] == 5, 1, 1);
    ROW(taktos_send(server, 20, 3, MS), TAKTOS_OK, E(CONTEXT));
    ROW(word, 23, 23);
    ROW(taktos_reply(server, 1, 2), E(STATE), E(CONTEXT));
    ROW(taktos_reply(NULL, 1, 2), E(PARAMETER), E(PARAMETER));
    ROW(taktos_reply_and_receive(server, 1, 2, &received, MS), E(STATE), E(CONTEXT));
    taktos_thread_stop(server);
    ROW(taktos_call(server, 7, 2, words, MS), E(STATE), E(STATE));
    taktos_thread_join(server, TAKTOS_FOREVER);
    END;
}

static void periods(int row)
{
    static uint64_t start;

    BEGIN(periods);
    ROW(taktos_period_next(&period, MS), E(PARAMETER), E(PARAMETER));
    ROW(taktos_period_init(&period), TAKTOS_OK, E(STATE));
    ROW(taktos_period_next(&period, MS), E(DELETED), E(CONTEXT));
    ROW(taktos_period_create(&period), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_period_create(&period), E(STATE), E(CONTEXT));
    start = taktos_now();
    for (int i = 0; i < 4; i++) {
        compare("taktos_period_next", "", taktos_period_next(&period, MS), TAKTOS_OK);
    }
    compare("three periods", "", taktos_now() - start >= 3 * MS, 1);
    ROW(taktos_period_cancel(&period), TAKTOS_OK, E(CONTEXT));
    ROW(taktos_period_delete(&period), TAKTOS_OK, E(DELETED));
    END;
}

static void alarms(int row)
{
    static int fed;

    BEGIN(alarms);
    ROW(taktos_alarm_init(&alarm_of_count, NULL, NULL), E(PARAMETER), E(PARAMETER));
    ROW(taktos_alarm_once(&alarm_of_count, MS), E(PARAMETER), E(PARAMETER));
    ROW(taktos_alarm_init(&alarm_of_count, count_up, (void *)&count), TAKTOS_OK, E(STATE));
    taktos_alarm_init(&dog, count_up, (void *)&worked);
    ROW(taktos_alarm_once(&alarm_of_count, TAKTOS_NO_WAIT), E(PARAMETER), E(PARAMETER));
    ROW(taktos_alarm_once(&alarm_of_count, TAKTOS_FOREVER), E(PARAMETER), E(PARAMETER));
    ROW(taktos_alarm_periodic(&alarm_of_count, MS, 0), E(PARAMETER), E(PARAMETER));
    ROW(taktos_alarm_watchdog(&alarm_of_count, 0), E(PARAMETER), E(PARAMETER));
    ROW(taktos_alarm_stop(&alarm_of_count), 0, 0);
    ROW(taktos_alarm_feed(&dog), E(STATE), E(STATE));
    count = 0;
    ROW(taktos_alarm_once(&alarm_of_count, MS), TAKTOS_OK, TAKTOS_OK);
    taktos_sleep(3 * MS);
    compare("an alarm", " once", count, 1);
    ROW(taktos_alarm_periodic(&alarm_of_count, MS, MS), TAKTOS_OK, TAKTOS_OK);
    taktos_sleep(TAKTOS_MICROS(3500));
    compare("an alarm", " every millisecond", count, 4);
    compare("taktos_alarm_stop", "", taktos_alarm_stop(&alarm_of_count), 1);
    worked = 0;
    ROW(taktos_alarm_watchdog(&dog, 2 * MS), TAKTOS_OK, TAKTOS_OK);
    for (fed = 0; fed < 3; fed++) {
        taktos_sleep(MS);
        ROW(taktos_alarm_feed(&dog), TAKTOS_OK, TAKTOS_OK);
    }
    compare("a watchdog", " that is fed", worked, 0);
    taktos_sleep(3 * MS);
    compare("a watchdog", " that is hungry", worked, 1);
    ROW(taktos_alarm_delete(&alarm_of_count), TAKTOS_OK, E(PARAMETER));
    ROW(taktos_alarm_delete(&dog), TAKTOS_OK, E(PARAMETER));
    END;
}

static void deferred(int row)
{
    BEGIN(deferred);
    worked = 0;
    ROW(taktos_work_init(&work, &work_queue, count_up, (void *)&worked), E(PARAMETER), E(PARAMETER));
    ROW(taktos_work_queue_init(&work_queue), TAKTOS_OK, E(STATE));
    ROW(taktos_work_init(&work, &work_queue, NULL, NULL), E(PARAMETER), E(PARAMETER));
    ROW(taktos_work_defer(&work), E(PARAMETER), E(PARAMETER));
    ROW(taktos_work_init(&work, &work_queue, count_up, (void *)&worked), TAKTOS_OK, E(STATE));
    ROW(taktos_work_defer(&work), 1, 0);
    ROW(taktos_work_cancel(&work), 1, 0);
    ROW(taktos_work_cancel(NULL), E(PARAMETER), E(PARAMETER));
    ROW(taktos_work_queue_serve(NULL), E(PARAMETER), E(PARAMETER));
    worker = taktos_thread_create("worker", 30, serve_work, NULL, NULL, 0);
    ROW(taktos_work_defer(&work), 1, 1);
    compare("deferred work", "", worked, 2);
    ROW(taktos_work_queue_delete(&work_queue), TAKTOS_OK, E(PARAMETER));
    compare("who served", "", count, E(DELETED));
    ROW(taktos_work_defer(&work), E(DELETED), E(DELETED));
    taktos_thread_join(worker, TAKTOS_FOREVER);
    END;
}

/* Functions on bits, which the compiler calls where a processor has no instruction for them. */
static void bits(void)
{
    static volatile unsigned long long wide = 0x0123456789abcde0ULL;
    static volatile unsigned int narrow = 0x00f00100u;

    compare("popcount", " of 64", __builtin_popcountll(wide), 28);
    compare("popcount", " of 32", __builtin_popcount(narrow), 5);
    compare("parity", " of 64", __builtin_parityll(wide), 0);
    compare("parity", " of 32", __builtin_parity(narrow), 1);
    compare("clz", " of 64", __builtin_clzll(wide), 7);
    compare("clz", " of 32", __builtin_clz(narrow), 8);
    compare("ctz", " of 64", __builtin_ctzll(wide), 5);
    compare("ctz", " of 32", __builtin_ctz(narrow), 8);
    compare("ffs", " of 64", __builtin_ffsll((long long)wide), 6);
    compare("ffs", " of 32", __builtin_ffs((int)narrow), 9);
    compare("ffs", " of 0", __builtin_ffsll((long long)(wide & 1)), 0);
    compare("bswap", " of 64", __builtin_bswap64(wide) == 0xe0cdab8967452301ULL, 1);
    compare("bswap", " of 32", __builtin_bswap32(narrow) == 0x0001f000u, 1);
}

static void all(void *unused)
{
    (void)unused;
    TAKTOS_INTERRUPT_ENABLE(SPARE);
    self = taktos_thread_current();
    taktos_semaphore_init(&gate, 0, 1);
    threads(0);
    time(0);
    semaphores(0);
    mutexes(0);
    conditions(0);
    flags(0);
    notifications(0);
    queues(0);
    polls(0);
    pools(0);
    stores(0);
    mailboxes(0);
    messages(0);
    periods(0);
    alarms(0);
    deferred(0);
    bits();
    report();
}

int main(void)
{
    static uint64_t stack[512];

    compare("taktos_start", " too early", taktos_start(), E(STATE));
    compare("taktos_initialize", "", taktos_initialize(), TAKTOS_OK);
    taktos_thread_create("table", 24, all, NULL, stack, sizeof stack);
    taktos_start();
    return 1;
}
