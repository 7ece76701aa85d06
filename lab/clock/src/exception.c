/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exception.h"

#include "arm.h"

#define DEEPEST 64 /* more than the priorities of any processor that we model */

/* The exceptions now active, innermost last, as the clock has seen them. */
static struct {
    uint32_t number, sp; /* sp: just after the hardware has stacked its frame */
} active[DEEPEST];
static int depth;

#define EXCEPTION_NUMBER 0x1ffu

/* Microcontroller profile: the status register holds the exception's number, and
 * entry stacks a frame. A chained exception begins on the frame of the one before. So does, on
 * the processor, one that a more urgent one overtook before its first instruction; the emulator
 * stacks a frame for each, and the one that was overtaken begins above the other's. */
static enum arrival at_handler(const struct record *from, uint32_t next)
{
    uint32_t number = arm_status() & EXCEPTION_NUMBER;
    uint32_t sp = arm_stack_pointer();
    uint32_t was = depth ? active[depth - 1].number : 0;
    if (number == 0)
        return ORDINARY;
    if (depth && from->flags & RETURN && sp >= active[depth - 1].sp) {
        active[depth - 1].number = number;
        active[depth - 1].sp = sp;
        return CHAINED;
    }
    if (number == was)
        return ORDINARY; /* a branch to the handler's own beginning */
    if (depth < DEEPEST) {
        active[depth].number = number;
        active[depth].sp = sp;
        depth++;
    }
    bool branched = from->flags & TRANSFER && arm_stacked_address() != next;
    return branched ? TAKEN_AFTER_BRANCH : TAKEN;
}

static enum arrival after_return(void)
{
    uint32_t number = arm_status() & EXCEPTION_NUMBER;
    if (number == active[depth - 1].number)
        return ORDINARY; /* a function returned inside the handler */
    depth--;
    return RETURNED;
}

enum arrival exception_arrival(const struct record *from, uint32_t next, const struct record *to)
{
    if (table.model == PIPELINED) { /* vectors and return instructions are unmistakable */
        bool back = from->flags & RETURN;
        return to->flags & HANDLER ? (back ? CHAINED : TAKEN) : (back ? RETURNED : ORDINARY);
    }
    if (to->flags & HANDLER)
        return at_handler(from, next);
    if (depth && from->flags & RETURN)
        return after_return();
    return ORDINARY;
}
