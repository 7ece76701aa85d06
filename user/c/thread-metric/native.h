/* Thread-Metric's calls by the kernel's own, of taktos.h. */
typedef taktos_thread_t thread_t;

static taktos_semaphore_t semaphore;
static taktos_queue_t queue;
static taktos_pool_t pool;
static uintptr_t memory_of_queue[64], memory_of_pool[1024];

static void expect_ok(int32_t code)
{
    expect(code == TAKTOS_OK);
}

static inline void begin(void)
{
    expect_ok(taktos_initialize());
    expect_ok(taktos_semaphore_init(&semaphore, 0, 1));
    expect_ok(taktos_queue_init(&queue, MESSAGE, MESSAGES, memory_of_queue, sizeof memory_of_queue));
    expect_ok(taktos_pool_init(&pool, BLOCK, BLOCKS, memory_of_pool, sizeof memory_of_pool));
}

static inline void start(void)
{
    taktos_start();
}

static inline thread_t make(void (*function)(void *), void *argument, uint32_t priority)
{
    thread_t thread = taktos_thread_create("metric", priority, function, argument, NULL, 0);
    expect(thread != NULL);
    return thread;
}

static inline void wait_for(thread_t thread)
{
    expect_ok(taktos_thread_join(thread, TAKTOS_FOREVER));
}

static inline void end(thread_t thread)
{
    expect_ok(taktos_thread_stop(thread));
    wait_for(thread);
}

static inline void yield(void)
{
    taktos_yield();
}

static inline void resume(thread_t thread)
{
    expect_ok(taktos_thread_resume(thread));
}

static inline void suspend(thread_t thread)
{
    expect_ok(taktos_thread_suspend(thread));
}

static inline void wake(thread_t thread)
{
    resume(thread);
}

static inline void sleep(thread_t self)
{
    suspend(self);
}

static inline void take(void)
{
    expect_ok(taktos_semaphore_take(&semaphore, TAKTOS_FOREVER));
}

static inline void give(void)
{
    expect_ok(taktos_semaphore_give(&semaphore));
}

static inline void send(const void *message)
{
    expect_ok(taktos_queue_send(&queue, message, 0, TAKTOS_FOREVER));
}

static inline void receive(void *message)
{
    expect_ok(taktos_queue_receive(&queue, message, NULL, TAKTOS_FOREVER));
}

static inline void *allocate(void)
{
    void *block = NULL;
    expect_ok(taktos_pool_allocate(&pool, &block, TAKTOS_FOREVER));
    return block;
}

static inline void release(void *block)
{
    expect_ok(taktos_pool_free(&pool, block));
}
