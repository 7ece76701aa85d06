/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "threads.h"

#include <stdlib.h>

struct known {
    uint64_t thread; /* 0: the place is free */
    uint64_t waited; /* what it waits for, or waited for last */
    bool ready;
};

struct threads {
    struct thread_layout layout;
    /* A hash table with open addressing: a power of two of places, at most half of them taken. */
    struct known *places;
    uint64_t room, taken;
    /* No known thread has a word outside of these. */
    uint64_t lowest, highest;
};

#define FIRST_ROOM 256

static struct known *empty(uint64_t room)
{
    struct known *places = calloc(room, sizeof *places);
    if (!places)
        abort();
    return places;
}

struct threads *threads_of(struct thread_layout layout)
{
    struct threads *made = malloc(sizeof *made);
    if (!made)
        abort();
    *made = (struct threads){ .layout = layout, .places = empty(FIRST_ROOM), .room = FIRST_ROOM, .lowest = UINT64_MAX };
    return made;
}

/* Where the thread is, or would be. */
static struct known *place_of(struct threads *all, uint64_t thread)
{
    struct known *places = all->places;
    uint64_t mask = all->room - 1;
    uint64_t i = (thread >> 3) * 0x9e3779b97f4a7c15u >> 32;
    while (places[i & mask].thread != 0 && places[i & mask].thread != thread)
        i++;
    return &places[i & mask];
}

static void make_room(struct threads *all)
{
    struct known *old = all->places;
    uint64_t count = all->room;
    all->room *= 2;
    all->places = empty(all->room);
    for (uint64_t i = 0; i < count; i++)
        if (old[i].thread != 0)
            *place_of(all, old[i].thread) = old[i];
    free(old);
}

/* Where a thread's byte is; 0: it has none. */
static uint64_t byte_of(const struct bytes *bytes, uint64_t thread)
{
    uint64_t number = (thread - bytes->first) / bytes->stride;
    return number < bytes->count ? bytes->byte + number * bytes->step : 0;
}

/* Whose byte this is; 0: nobody's. */
static uint64_t thread_of(const struct bytes *bytes, uint64_t address)
{
    uint64_t number = (address - bytes->byte) / bytes->step;
    bool is_byte = number < bytes->count && (address - bytes->byte) % bytes->step == 0;
    return is_byte ? bytes->first + number * bytes->stride : 0;
}

static void know(struct threads *all, uint64_t thread)
{
    if (2 * (all->taken + 1) > all->room)
        make_room(all);
    place_of(all, thread)->thread = thread;
    all->taken++;
    uint64_t urgency = all->layout.urgency, wait = all->layout.wait;
    uint64_t first = thread + (urgency < wait ? urgency : wait);
    uint64_t behind = thread + (urgency > wait ? urgency : wait) + all->layout.word;
    if (all->layout.bytes.count) {
        first = byte_of(&all->layout.bytes, thread);
        behind = first + 1;
    }
    all->lowest = first < all->lowest ? first : all->lowest;
    all->highest = behind > all->highest ? behind : all->highest;
}

static struct standing standing_of(const struct threads *all, uint64_t thread)
{
    const struct thread_layout *layout = &all->layout;
    if (layout->bytes.count) {
        uint64_t byte = layout->read(byte_of(&layout->bytes, thread), 1);
        return (struct standing){ .wait = byte < layout->bytes.able, .known = true };
    }
    return (struct standing){
        .wait = layout->read(thread + layout->wait, layout->word),
        .urgency = (uint32_t)layout->read(thread + layout->urgency, sizeof(uint32_t)),
        .known = true,
    };
}

static void note(const struct threads *all, struct known *known, struct standing standing)
{
    known->ready = standing.wait == 0 && !(standing.urgency & all->layout.suspended);
    if (!known->ready)
        known->waited = standing.wait;
}

struct standing threads_look(struct threads *all, uint64_t thread)
{
    if (!all || thread == 0 || (all->layout.bytes.count && byte_of(&all->layout.bytes, thread) == 0))
        return (struct standing){ 0 };
    if (place_of(all, thread)->thread == 0)
        know(all, thread);
    struct standing standing = standing_of(all, thread);
    note(all, place_of(all, thread), standing);
    return standing;
}

/* Whether the thread, if it is known, has become ready. */
static bool became_ready(struct threads *all, uint64_t thread)
{
    struct known *known = place_of(all, thread);
    if (thread == 0 || known->thread == 0)
        return false;
    bool was = known->ready;
    note(all, known, standing_of(all, thread));
    return known->ready && !was;
}

bool threads_near(const struct threads *all, uint64_t address, uint64_t width)
{
    return all && address < all->highest && address + width > all->lowest;
}

static struct woken woken_by_byte(struct threads *all, uint64_t address, uint64_t width)
{
    for (uint64_t at = address; at < address + width; at++) {
        uint64_t thread = thread_of(&all->layout.bytes, at);
        if (became_ready(all, thread))
            return (struct woken){ thread, place_of(all, thread)->waited };
    }
    return (struct woken){ 0 };
}

struct woken threads_woken(struct threads *all, uint64_t address, uint64_t width)
{
    if (all->layout.bytes.count)
        return woken_by_byte(all, address, width);
    uint64_t offsets[] = { all->layout.wait, all->layout.urgency };
    for (uint64_t at = address; at < address + width; at += sizeof(uint32_t))
        for (unsigned i = 0; i < 2; i++)
            if (became_ready(all, at - offsets[i]))
                return (struct woken){ at - offsets[i], place_of(all, at - offsets[i])->waited };
    return (struct woken){ 0 };
}
