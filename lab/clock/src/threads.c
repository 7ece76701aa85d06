/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "threads.h"

#include <stdlib.h>

struct known {
    uint64_t thread; /* 0: the place is free */
    uint64_t waited; /* what it waits for, or waited for last */
    bool ready;
};

static struct thread_layout layout;
static bool told;

/* A hash table with open addressing: a power of two of places, at most half of them taken. */
static struct known *places;
static uint64_t room, taken;
/* No known thread has a word outside of these. */
static uint64_t lowest = UINT64_MAX, highest;

#define FIRST_ROOM 256

void threads_begin(struct thread_layout given)
{
    layout = given;
    told = true;
    room = FIRST_ROOM;
    places = calloc(room, sizeof *places);
    if (!places)
        abort();
}

/* Where the thread is, or would be. */
static struct known *place_of(uint64_t thread)
{
    uint64_t i = (thread >> 3) * 0x9e3779b97f4a7c15u >> 32;
    while (places[i & (room - 1)].thread != 0 && places[i & (room - 1)].thread != thread)
        i++;
    return &places[i & (room - 1)];
}

static void make_room(void)
{
    struct known *old = places;
    uint64_t count = room;
    room *= 2;
    places = calloc(room, sizeof *places);
    if (!places)
        abort();
    for (uint64_t i = 0; i < count; i++)
        if (old[i].thread != 0)
            *place_of(old[i].thread) = old[i];
    free(old);
}

static uint64_t least_offset(void)
{
    return layout.urgency < layout.wait ? layout.urgency : layout.wait;
}

static void know(uint64_t thread)
{
    if (2 * (taken + 1) > room)
        make_room();
    place_of(thread)->thread = thread;
    taken++;
    uint64_t first = thread + least_offset();
    uint64_t behind = thread + (layout.urgency > layout.wait ? layout.urgency : layout.wait) + layout.word;
    lowest = first < lowest ? first : lowest;
    highest = behind > highest ? behind : highest;
}

static struct standing standing_of(uint64_t thread)
{
    return (struct standing){
        .wait = layout.read(thread + layout.wait, layout.word),
        .urgency = (uint32_t)layout.read(thread + layout.urgency, sizeof(uint32_t)),
        .known = true,
    };
}

static bool is_ready(struct standing standing)
{
    return standing.wait == 0 && !(standing.urgency & layout.suspended);
}

static void note(struct known *known, struct standing standing)
{
    known->ready = is_ready(standing);
    if (!known->ready)
        known->waited = standing.wait;
}

struct standing threads_look(uint64_t thread)
{
    if (!told || thread == 0)
        return (struct standing){ 0 };
    if (place_of(thread)->thread == 0)
        know(thread);
    struct standing standing = standing_of(thread);
    note(place_of(thread), standing);
    return standing;
}

/* Whether the thread, if it is known, has become ready. */
static bool became_ready(uint64_t thread)
{
    struct known *known = place_of(thread);
    if (thread == 0 || known->thread == 0)
        return false;
    bool was = known->ready;
    note(known, standing_of(thread));
    return known->ready && !was;
}

static struct woken woken(uint64_t thread)
{
    return (struct woken){ thread, place_of(thread)->waited };
}

struct woken threads_woken(uint64_t address, uint64_t width)
{
    if (address >= highest || address + width <= lowest)
        return (struct woken){ 0 };
    for (uint64_t at = address; at < address + width; at += sizeof(uint32_t)) {
        if (became_ready(at - layout.wait))
            return woken(at - layout.wait);
        if (became_ready(at - layout.urgency))
            return woken(at - layout.urgency);
    }
    return (struct woken){ 0 };
}
