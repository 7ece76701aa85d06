/* What tables of calls have in common: a row is made in a thread, then in a handler, and compared.
 * Owns: the counts, and how they are told. Must never know: the calls. */
#ifndef CHECK_H
#define CHECK_H

#include "taktos.h"

/* An interrupt that no device of these boards has; where those of devices cannot be made pending, or all have one, one of software's. */
#if defined(__aarch64__)
#define SPARE 60
#elif __ARM_ARCH_PROFILE == 'M'
#define SPARE 20
#else
#define SPARE 5
#endif

#define NOT_NULL 1L
#define ANYTHING 0x7E57L

static int rows, failures;
static void (*group_in_handler)(int);
static int row_in_handler;
static volatile long found_in_handler;

TAKTOS_INTERRUPT(SPARE)
{
    group_in_handler(row_in_handler);
}

static void say(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0') {
        length++;
    }
    taktos_write(text, length);
}

static void say_number(long number)
{
    char digits[24];
    int at = sizeof digits;
    unsigned long rest = number < 0 ? 0UL - (unsigned long)number : (unsigned long)number;

    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (number < 0) {
        digits[--at] = '-';
    }
    taktos_write(digits + at, sizeof digits - (size_t)at);
}

static void compare(const char *call, const char *where, long found, long expected)
{
    rows++;
    if (found == expected || expected == ANYTHING) {
        return;
    }
    failures++;
    say("FAILED ");
    say(call);
    say(where);
    say(": expected ");
    say_number(expected);
    say(", found ");
    say_number(found);
    say("\n");
}

/* Has the row of a group called in a handler. */
static long __attribute__((unused)) in_a_handler(void (*of)(int), int row)
{
    group_in_handler = of;
    row_in_handler = row;
    taktos_interrupt_pend(SPARE);
    return found_in_handler;
}

/* A group of rows is a function of the row where it begins: 0 in a thread, which goes through all of them; in a handler one of them alone, so
 * its variables are static. */
#define BEGIN(name)                                                      \
    void (*const this_group)(int) = name;                                \
    switch (row) {                                                       \
    case 0:
#define END                                                              \
    default:                                                             \
        break;                                                           \
    }

/* Makes the call in this thread, then in a handler. */
#define ROW(expression, thread, handler)                                 \
    do {                                                                 \
        static long expected, expected_in_handler;                       \
        expected = (long)(thread);                                       \
        expected_in_handler = (long)(handler);                           \
        compare(#expression, " in a thread", (long)(expression), expected); \
        compare(#expression, " in a handler", in_a_handler(this_group, __LINE__), expected_in_handler); \
        break;                                                           \
    case __LINE__:                                                       \
        found_in_handler = (long)(expression);                           \
        return;                                                          \
    } while (0)

/* Tells the counts, and ends the program. */
static void report(void)
{
    say_number(rows - failures);
    say(" passed, ");
    say_number(failures);
    say(" failed\n");
    taktos_exit(failures == 0 ? 0 : 1);
}

#endif
