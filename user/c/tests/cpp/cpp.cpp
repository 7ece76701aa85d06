/* The part of C++ below its library: constructors before main, local statics that one thread makes,
 * new and delete, the end.
 * Owns: the rows. Must never know: the board; whether there are exceptions. */
#include <stddef.h>
#include <stdint.h>

#include "cmsis_os2.h"

#include "check.h"

#define EQUAL(expression, expected) compare(#expression, "", (long)(expression), (long)(expected))

extern "C" int atexit(void (*function)(void));
extern "C" void exit(int status) __attribute__((noreturn));

/* The order of events: a digit of base 10 each. */
static volatile long before_main, at_end;

static void note(long digit)
{
    before_main = before_main * 10 + digit;
}

static void note_end(long digit)
{
    at_end = at_end * 10 + digit;
}

static void earliest(void)
{
    note(1);
}

__attribute__((section(".preinit_array"), used)) static void (*const pre_init)(void) = earliest;

__attribute__((constructor(102))) static void second_by_priority(void)
{
    note(3);
}

__attribute__((constructor(101))) static void first_by_priority(void)
{
    note(2);
}

__attribute__((destructor)) static void behind_all(void)
{
    note_end(9);
    EQUAL(at_end, 54329);
    report();
}

struct Shape {
    explicit Shape(int side) : side(side) {}
    virtual ~Shape() {}
    virtual int area() const = 0;
    int side;
};

struct Square : Shape {
    explicit Square(int side) : Shape(side) { note(4); }
    ~Square() override { note_end(2); }
    int area() const override { return side * side; }
};

static int seven(void)
{
    return 7;
}

/* Made before main, where only constructors can: the value is no constant. */
static Square square(seven());
static int *const in_heap = new int(seven());
static Square *other = new Square(3);

struct Counted {
    Counted()
    {
        made++;
        /* Others ask for it meanwhile. */
        if (osKernelGetState() == osKernelRunning) {
            osDelay(5);
        }
        value = 11;
    }
    ~Counted() { note_end(3); }
    static int made;
    int value;
};
int Counted::made;

static Counted &counted(void)
{
    static Counted one;
    return one;
}

static int fibonacci(int of)
{
    static int (*const self)(int) = fibonacci;
    return of < 2 ? of : self(of - 1) + self(of - 2);
}

static volatile int found[2];
static osSemaphoreId_t done;

static void ask(void *argument)
{
    found[(intptr_t)argument] = counted().value;
    osSemaphoreRelease(done);
}

struct Big {
    Big() : word(5) { made++; }
    ~Big() { made--; }
    static int made;
    long word;
    char more[100];
};
int Big::made;

static void fourth(void)
{
    note_end(4);
}

static void fifth(void)
{
    note_end(5);
    /* Told at the end: called before what was told earlier. */
}

static void nothing(void) {}

static void rows_of_thread(void *unused)
{
    (void)unused;
    /* From the file's beginning to its end, and by priority before that. */
    EQUAL(before_main, 12344);
    EQUAL(square.area(), 49);
    EQUAL(*in_heap, 7);
    EQUAL(static_cast<Shape *>(other)->area(), 9);

    /* A local static is made once, when it is asked for first; who asks meanwhile waits. */
    EQUAL(Counted::made, 0);
    done = osSemaphoreNew(2, 0, NULL);
    for (intptr_t number = 0; number < 2; number++) {
        osThreadNew(ask, (void *)number, NULL);
    }
    EQUAL(osSemaphoreAcquire(done, 1000), osOK);
    EQUAL(osSemaphoreAcquire(done, 1000), osOK);
    EQUAL(Counted::made, 1);
    EQUAL(found[0], 11);
    EQUAL(found[1], 11);
    EQUAL(fibonacci(10), 55);

    Big *bigs = new Big[3];
    EQUAL(Big::made, 3);
    EQUAL(bigs[2].word, 5);
    delete[] bigs;
    EQUAL(Big::made, 0);
    bool is_aligned = true;
    for (int round = 0; round < 1000; round++) {
        Big *one = new Big;
        is_aligned &= (uintptr_t)one % alignof(max_align_t) == 0;
        delete one;
    }
    EQUAL(is_aligned, true);
    EQUAL(Big::made, 0);

    /* More than one block of handlers has room for; the last one told is called first. */
    int refused = 0;
    for (int number = 0; number < 100; number++) {
        refused += atexit(nothing) != 0;
    }
    EQUAL(refused, 0);
    EQUAL(atexit(fourth), 0);
    EQUAL(atexit(fifth), 0);
    exit(2);
}

int main()
{
    EQUAL(osKernelGetState(), osKernelInactive);
    EQUAL(osKernelInitialize(), osOK);
    osThreadNew(rows_of_thread, NULL, NULL);
    osKernelStart();
    return 1;
}
