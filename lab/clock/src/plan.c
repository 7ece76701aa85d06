/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct watch watches[MOST_WATCHES];
unsigned watch_count;

struct mark {
    uint64_t address;
    uint16_t number;
};

static uint64_t before_base, before_size, lock;
static struct mark *marks;
static size_t count, room;

static bool add_mark(uint64_t address, uint64_t number)
{
    if (number == 0 || number > UINT16_MAX)
        return false;
    if (count == room) {
        room = room ? 2 * room : 64;
        marks = realloc(marks, room * sizeof *marks);
        if (!marks)
            abort();
    }
    marks[count++] = (struct mark){ address, (uint16_t)number };
    return true;
}

static bool add_watch(uint64_t base, uint64_t stride, uint64_t many, uint64_t word)
{
    bool fits = many > 0 && many <= MOST_PROCESSORS && stride >= word;
    if (watch_count == MOST_WATCHES || !fits || (word != sizeof(uint32_t) && word != sizeof(uint64_t)))
        return false;
    watches[watch_count++] = (struct watch){ .base = base, .stride = stride, .count = many, .word = (uint32_t)word };
    return true;
}

/* A line that says more of a watch. */
static bool more(const char *text, struct watch *watch)
{
    uint64_t a, b, c;
    if (sscanf(text, "standing %" SCNu64 " %" SCNu64 " %" SCNu64, &a, &b, &c) == 3) {
        watch->urgency = a;
        watch->wait = b;
        watch->suspended = c;
        return watch->standing = true;
    }
    struct bytes bytes;
    if (sscanf(text, "bytes %" SCNx64 " %" SCNu64 " %" SCNu64 " %" SCNx64 " %" SCNu64 " %" SCNu64, &bytes.first, &bytes.stride,
               &bytes.count, &bytes.byte, &bytes.step, &bytes.able) == 6) {
        watch->bytes = bytes;
        return bytes.stride > 0 && bytes.step > 0 && bytes.count > 0;
    }
    if (sscanf(text, "information %" SCNu64, &a) == 1) {
        watch->information = a;
        return watch->named = true;
    }
    if (sscanf(text, "called %" SCNu64, &a) == 1) {
        watch->name = a;
        return watch->called = true;
    }
    if (sscanf(text, "physical %" SCNx64 " %" SCNx64 " %" SCNx64, &a, &b, &c) == 3) {
        watch->physical = a;
        watch->size = b;
        watch->offset = c;
        return watch->translated = true;
    }
    return false;
}

static bool line(const char *text)
{
    uint64_t a, b, c, d;
    if (sscanf(text, "mark %" SCNx64 " %" SCNu64, &a, &b) == 2)
        return add_mark(a, b);
    if (sscanf(text, "watch %" SCNx64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &a, &b, &c, &d) == 4)
        return add_watch(a, b, c, d);
    if (sscanf(text, "before %" SCNx64 " %" SCNx64, &a, &b) == 2) {
        before_base = a;
        before_size = b;
        return true;
    }
    if (sscanf(text, "lock %" SCNx64, &a) == 1) {
        lock = a;
        return lock != 0;
    }
    return watch_count > 0 && more(text, &watches[watch_count - 1]);
}

static int by_address(const void *left, const void *right)
{
    const struct mark *a = left, *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

bool plan_read(const char *path)
{
    char text[128];
    FILE *file = fopen(path, "r");
    bool good = file != NULL;
    while (good && fgets(text, sizeof text, file))
        good = line(text);
    if (file)
        fclose(file);
    if (!good)
        fprintf(stderr, "taktos-clock: %s: %s\n", path, file ? "is not a plan" : "cannot be read");
    qsort(marks, count, sizeof *marks, by_address);
    return good;
}

uint64_t plan_lock(void) { return lock; }

bool plan_before_image(uint64_t address)
{
    return address >= before_base && address - before_base < before_size;
}

uint16_t plan_mark(uint64_t address)
{
    struct mark key = { address, 0 };
    const struct mark *found = bsearch(&key, marks, count, sizeof *marks, by_address);
    return found ? found->number : 0;
}
