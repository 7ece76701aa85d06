"""Threads of Taktos in gdb: `taktos connect TARGET` reaches all processors of a board, `taktos threads` lists the threads, and
`taktos backtrace NAME` shows the calls of one that waits.

Owns: what of a kernel's memory says who the threads are and where they wait. The image tells the places by symbols `taktos.layout.*`;
the frames are those of the ports (their crates' heads). Needs no debug information for the list, and some for the calls.
"""

import gdb

PAINT = 0xA5
IDLE = 32
PRIORITY = 0x3F
SUSPENDED = 1 << 24
# Waits without an object (taktos_abi::layout::wait).
DORMANT, NON_EXISTENT = 2 << 3 | 2, 3 << 3 | 2

# By the architecture and whether it is a Cortex-M: what a thread that called the kernel has at its saved stack pointer, and how much.
FRAMES = {
    "cortex-m": (["r4", "r6", "r7", "pc"], 16),
    "arm": (["r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "pc"], 40),
    "aarch64": (["x19", "x29", "pc"], 32),
    "riscv": (["s0", "s1", "pc"], 32),
}


def symbol(name):
    """The value of a symbol of the image."""
    try:
        return int(gdb.parse_and_eval("(unsigned long)&'%s'" % name))
    except gdb.error:
        raise gdb.GdbError("the image has no symbol %s: is it a program with #[taktos::main]?" % name)


def in_c(act):
    """Does something while expressions are in C, whatever the program is written in."""
    before = gdb.parameter("language")
    gdb.execute("set language c")
    try:
        return act()
    finally:
        gdb.execute("set language %s" % before)


class Memory:
    """The processor's memory, in words."""

    def __init__(self):
        self.word_size = gdb.lookup_type("long").sizeof

    def bytes(self, address, length):
        return bytes(gdb.selected_inferior().read_memory(address, length))

    def word(self, address, size=None):
        return int.from_bytes(self.bytes(address, size or self.word_size), "little")


class Thread:
    """A thread, by its control block."""

    def __init__(self, memory, block):
        layout = lambda name: symbol("taktos.layout." + name)
        information = memory.word(block + layout("tcb_info"))
        name = memory.word(information)
        length = memory.word(information + memory.word_size)
        base = memory.word(information + layout("info_stack_base"))
        self.block = block
        self.name = memory.bytes(name, length).decode("utf-8", "replace") if length else ""
        self.next = memory.word(information + layout("info_next"))
        self.size = memory.word(information + layout("info_stack_size"))
        self.urgency = memory.word(block + layout("tcb_urgency"), 4)
        self.wait = memory.word(block + layout("tcb_wait"))
        self.stack_pointer = memory.word(block)
        self.runs = memory.word(symbol("TAKTOS_PROCESSOR")) == block
        self.stack = memory.bytes(base, self.size)

    def state(self):
        if self.runs:
            return "executing"
        if self.wait in (DORMANT, NON_EXISTENT):
            return "dormant" if self.wait == DORMANT else "non-existent"
        return "blocked" if self.wait or self.urgency & SUSPENDED else "ready"

    def used(self):
        """How many bytes of the stack have lost their paint; none if it was not painted."""
        painted = len(self.stack) - len(self.stack.lstrip(bytes([PAINT])))
        return str(self.size - painted) if painted else "?"


def threads():
    """All threads, the one created last first."""
    memory = Memory()
    block = memory.word(symbol("TAKTOS_PROCESSOR") + symbol("taktos.layout.kernel_threads"))
    while block:
        thread = Thread(memory, block)
        yield thread
        block = thread.next


def frame_of_the_port():
    name = gdb.selected_frame().architecture().name()
    for start, key in (("aarch64", "aarch64"), ("riscv", "riscv")):
        if name.startswith(start):
            return FRAMES[key]
    registers = [register.name for register in gdb.selected_frame().architecture().registers()]
    return FRAMES["cortex-m" if "xpsr" in registers else "arm"]


class Taktos(gdb.Command):
    """Threads of the kernel Taktos."""

    def __init__(self):
        super().__init__("taktos", gdb.COMMAND_STATUS, prefix=True)


class Connect(gdb.Command):
    """Connects to TARGET, as `target extended-remote` does, and to all processors there.

    An emulator shows processors of different kinds as processes, and gdb connects to the first alone, which may not be the one that
    the program is on."""

    def __init__(self):
        super().__init__("taktos connect", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        gdb.execute("target extended-remote " + argument)
        first, program, process = gdb.selected_inferior(), gdb.current_progspace().filename, 2
        while self.attached(first, program, process):
            process += 1
        gdb.execute("set schedule-multiple on")
        gdb.execute("inferior %d" % first.num, to_string=True)

    def attached(self, first, program, process):
        """Whether there is such a process, which is an inferior of the same program then; if not, the first one is selected."""
        gdb.execute("add-inferior", to_string=True)
        added = max(inferior.num for inferior in gdb.inferiors())
        gdb.execute("inferior %d" % added, to_string=True)
        try:
            if program:
                gdb.execute("file " + program, to_string=True)
            gdb.execute("attach %d" % process, to_string=True)
            return True
        except gdb.error:
            gdb.execute("inferior %d" % first.num, to_string=True)
            gdb.execute("remove-inferiors %d" % added, to_string=True)
            return False


class Threads(gdb.Command):
    """Lists all threads: name, state, priority, and of the stack how much was used since it was painted, and its size."""

    def __init__(self):
        super().__init__("taktos threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        in_c(self.show)

    def show(self):
        print("%-16s %-12s %8s %10s %10s" % ("thread", "state", "priority", "stack used", "of"))
        for thread in threads():
            priority = thread.urgency & PRIORITY
            print("%-16s %-12s %8d %10s %10d" % (thread.name, thread.state(), priority, thread.used(), thread.size))


class Backtrace(gdb.Command):
    """Shows the calls of the thread NAME: of one that waits, or of the one that runs."""

    def __init__(self):
        super().__init__("taktos backtrace", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        in_c(lambda: self.show(argument.strip()))

    def show(self, name):
        found = [thread for thread in threads() if thread.name == name]
        if not found:
            raise gdb.GdbError("there is no thread %s: `taktos threads` lists them" % name)
        thread = found[0]
        if thread.runs:
            gdb.execute("backtrace")
        elif thread.state() == "blocked":
            self.of_a_waiting(thread)
        else:
            raise gdb.GdbError("%s is %s: only a thread that waits, or runs, has calls to show" % (name, thread.state()))

    def of_a_waiting(self, thread):
        """The registers become those that the thread will have, for as long as it takes to show its calls."""
        memory, (names, size) = Memory(), frame_of_the_port()
        there = {"sp": thread.stack_pointer + size}
        for number, register in enumerate(names):
            place = thread.stack_pointer + number * memory.word_size
            there[register] = memory.word(place)
        there["pc"] &= ~1
        before = {register: int(gdb.parse_and_eval("(unsigned long)$" + register)) for register in there}
        try:
            self.set(there)
            gdb.execute("backtrace")
        finally:
            self.set(before)

    def set(self, registers):
        for register, value in registers.items():
            gdb.execute("set $%s = %d" % (register, value))


Taktos()
Connect()
Threads()
Backtrace()
