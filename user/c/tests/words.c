/* Functions of a C library with any number of words, on RISC-V: what a program calls gets to the library's function with a list of words,
 * unless the program has one of that name itself; and the library's error becomes the thread's.
 * Owns: the rows, and functions of this library's names. Must never know: the board. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>

#include "check.h"

#define EQUAL(expression, expected) compare(#expression, "", (long)(expression), (long)(expected))

int snprintf(char *place, size_t size, const char *format, ...);
int printf(const char *format, ...);
/* Where other files' calls of it lead. */
int __wrap_printf(const char *format, ...);
int fprintf(void *stream, const char *format, ...);
int rand(void);
void srand(unsigned int seed);

/* The structure of the library's state begins with its error. */
static int state[64];
int *_impure_ptr = state;

static long seen[12];
static long double long_seen;

static void take(va_list words)
{
    for (int i = 0; i < 11; i++) {
        seen[i] = i % 2 == 0 ? va_arg(words, int) : va_arg(words, long);
    }
    /* At a multiple of twice a word. */
    long_seen = va_arg(words, long double);
}

int vsnprintf(char *place, size_t size, const char *format, va_list words)
{
    EQUAL(place == NULL, 1);
    EQUAL(size, 99);
    EQUAL(format[0], 's');
    take(words);
    *_impure_ptr = ERANGE;
    return 7;
}

int vfprintf(void *stream, const char *format, va_list words)
{
    EQUAL(stream == state, 1);
    EQUAL(format[0], 'f');
    take(words);
    return 8;
}

/* The library's, in the place of which the program's own is called. */
int vprintf(const char *format, va_list words)
{
    (void)words;
    return -format[0];
}

/* This program's own. */
int printf(const char *format, ...)
{
    return format[0];
}

/* What is written when the program ends. */
int fflush(void *stream)
{
    EQUAL(stream == NULL, 1);
    return 0;
}

int main(void)
{
    const unsigned long *bits = (const unsigned long *)&long_seen;
    const long double one = 1.0L;

    taktos_initialize();
    EQUAL(snprintf(NULL, 99, "s", -1, 2L, 3, 4L, 5, 6L, 7, 8L, 9, -10L, 11, one), 7);
    for (int i = 0; i < 11; i++) {
        EQUAL(seen[i], i == 0 || i == 9 ? -i - 1 : i + 1);
    }
    EQUAL(bits[1], 0x3fff000000000000);
    EQUAL(bits[0], 0);
    EQUAL(errno, ERANGE);
    EQUAL(state[0], 0);
    EQUAL(fprintf(state, "f", 12, 11L, 10, 9L, 8, 7L, 6, 5L, 4, 3L, 2, one), 8);
    for (int i = 0; i < 11; i++) {
        EQUAL(seen[i], 12 - i);
    }
    EQUAL(bits[1], 0x3fff000000000000);
    EQUAL(__wrap_printf("p"), 'p');
    srand(7);
    int first = rand();
    EQUAL(rand() != first, 1);
    srand(7);
    EQUAL(rand(), first);
    report();
    return 1;
}
