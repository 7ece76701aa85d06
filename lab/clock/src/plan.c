/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct watch watch;

struct mark {
    uint64_t address;
    uint16_t number;
};

static uint64_t before_base, before_size;
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

static bool line(const char *text)
{
    uint64_t a, b, c, d;
    if (sscanf(text, "mark %" SCNx64 " %" SCNu64, &a, &b) == 2)
        return add_mark(a, b);
    if (sscanf(text, "watch %" SCNx64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &a, &b, &c, &d) == 4) {
        watch.base = a;
        watch.stride = b;
        watch.count = c;
        watch.word = (uint32_t)d;
        return (d == sizeof(uint32_t) || d == sizeof(uint64_t)) && b >= d;
    }
    if (sscanf(text, "before %" SCNx64 " %" SCNx64, &a, &b) == 2) {
        before_base = a;
        before_size = b;
        return true;
    }
    if (sscanf(text, "standing %" SCNu64 " %" SCNu64 " %" SCNu64, &a, &b, &c) == 3) {
        watch.urgency = a;
        watch.wait = b;
        watch.suspended = c;
        return watch.standing = true;
    }
    if (sscanf(text, "information %" SCNu64, &a) == 1) {
        watch.information = a;
        return watch.named = true;
    }
    return false;
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
