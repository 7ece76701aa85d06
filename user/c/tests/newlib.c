/* newlib's functions with state, called from several threads at once: each thread has its own state,
 * and lines are printed whole.
 * Owns: the rows. Must never know: the board. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmsis_os2.h"

#include "check.h"

#define EQUAL(expression, expected) compare(#expression, "", (long)(expression), (long)(expected))
#define THREADS 3
#define LINES 40

static osSemaphoreId_t done;
static volatile int torn, written;

/* The console of newlib's streams. Others print, too, while a line is on its way. */
int _write(int file, const char *text, int length)
{
    static const char pattern[] = "thread . prints 3.25 and ";
    const char *at = text;

    (void)file;
    while (at < text + length) {
        const char *end = memchr(at, '\n', (size_t)(text + length - at));
        if (end == NULL || (size_t)(end - at) < sizeof pattern || memcmp(at, pattern, 7) != 0
            || memcmp(at + 8, pattern + 8, sizeof pattern - 9) != 0 || at[7] - 'a' != end[-1] - 'A') {
            torn++;
            break;
        }
        written++;
        at = end + 1;
    }
    osDelay(1);
    return length;
}

static void print(void *argument)
{
    int number = (int)(intptr_t)argument;

    for (int line = 0; line < LINES; line++) {
        if (line % 2 == 0) {
            printf("thread %c prints %.2f and %c\n", 'a' + number, 3.25, 'A' + number);
        } else {
            fprintf(stdout, "thread %c prints %d.%d and %d%d%d %c\n", 'a' + number, 3, 25, 7, 8, 9, 'A' + number);
        }
        osThreadYield();
    }
    osSemaphoreRelease(done);
}

static int numbers_found[THREADS][8], words_found[THREADS], days_found[THREADS], texts_found[THREADS], floats_wrong;

static void keep(void *argument)
{
    static const char *const texts[THREADS] = {"one two three four", "1,2,3,4,5,6", "a b,c d"};
    int number = (int)(intptr_t)argument;
    char text[32];
    time_t time = (time_t)(number + 1) * 86400 * 40;

    strcpy(text, texts[number]);
    srand(7);
    struct tm *broken = gmtime(&time);
    char *written_time = asctime(broken);
    char *word = strtok(text, " ,");
    for (int step = 0; step < 8; step++) {
        /* The others do the same in between. */
        osDelay(1);
        numbers_found[number][step] = rand();
        if (word != NULL) {
            words_found[number]++;
            word = strtok(NULL, " ,");
        }
    }
    days_found[number] = broken->tm_yday;
    texts_found[number] = atoi(written_time + 8);
    osSemaphoreRelease(done);
}

/* Converts again and again, interrupted in the midst by who does the same. */
static void convert(void *argument)
{
    int number = (int)(intptr_t)argument;

    for (int round = 0; round < 300; round++) {
        char text[32];
        snprintf(text, sizeof text, "%.12g", 1.0 / (3 + number));
        floats_wrong += strcmp(text, number == 0 ? "0.333333333333" : number == 1 ? "0.25" : "0.2") != 0;
        if (number == 0 && round % 30 == 0) {
            osDelay(1);
        }
    }
    osSemaphoreRelease(done);
}

static void all(osThreadFunc_t function)
{
    for (intptr_t number = 0; number < THREADS; number++) {
        const osThreadAttr_t attributes = {.priority = osPriorityNormal + (osPriority_t)number, .stack_size = 4096};
        if (osThreadNew(function, (void *)number, &attributes) == NULL) {
            compare("osThreadNew", "", 0, 1);
        }
    }
    for (int number = 0; number < THREADS; number++) {
        EQUAL(osSemaphoreAcquire(done, 20000), osOK);
    }
}

static void rows_of_thread(void *unused)
{
    (void)unused;
    done = osSemaphoreNew(THREADS, 0, NULL);
    all(print);
    EQUAL(torn, 0);
    EQUAL(written, THREADS * LINES);

    all(keep);
    for (int number = 0; number < THREADS; number++) {
        for (int step = 0; step < 8; step++) {
            EQUAL(numbers_found[number][step], numbers_found[0][step]);
        }
        EQUAL(days_found[number], (number + 1) * 40);
    }
    EQUAL(numbers_found[0][0] != numbers_found[0][1], true);
    EQUAL(words_found[0], 4);
    EQUAL(words_found[1], 6);
    EQUAL(words_found[2], 4);
    /* The 10th of February, the 22nd of March, the 1st of May. */
    EQUAL(texts_found[0], 10);
    EQUAL(texts_found[1], 22);
    EQUAL(texts_found[2], 1);
    /* This thread's own is where it was: newlib's row from 1 on. */
    int first = rand();
    srand(1);
    EQUAL(rand(), first);

    all(convert);
    EQUAL(floats_wrong, 0);
    report();
}

int main(void)
{
    const osThreadAttr_t attributes = {.priority = osPriorityHigh, .stack_size = 4096};

    osKernelInitialize();
    osThreadNew(rows_of_thread, NULL, &attributes);
    osKernelStart();
    return 1;
}
