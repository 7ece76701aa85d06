//! Layout that tools need to read a running image from outside. It covers two words of a thread's
//! control block, at places that symbols of the image give; the lock of several processors; and a
//! byte of each of the hypervisor's virtual processors.
//!
//! Owns: the meaning of these words, for the kernel and the laboratory. Must never know: the tools
//! that read them, and their means.

/// Symbol: its value is the offset of the pointer to a thread's information, which begins with the
/// thread's name.
pub const INFORMATION: &str = "taktos.layout.tcb_info";
/// Symbol: its value is the offset of the word with a thread's priorities and flags, which has 32
/// bits.
pub const URGENCY: &str = "taktos.layout.tcb_urgency";
/// Symbol: its value is the offset of the word that says what a thread waits for. The word is 0
/// while the thread waits for nothing.
pub const WAIT: &str = "taktos.layout.tcb_wait";

/// Symbol: its value is the distance in bytes between the blocks of processors, if there are
/// several.
pub const PROCESSOR: &str = "taktos.layout.processor";

/// Symbol: its address is that of the one lock of several processors. The lowest byte of this word
/// is not 0 while a processor has the lock.
pub const LOCK: &str = "taktos.layout.lock";

/// Symbol: its address is that of the byte with the state of the hypervisor's first virtual
/// processor.
pub const VCPU_STANDING: &str = "taktos.layout.vcpu_standing";
/// Symbol: its value is the distance between the bytes of virtual processors.
pub const VCPU_STRIDE: &str = "taktos.layout.vcpu_stride";
/// Such a byte is at least this while the virtual processor can run, and less while it is off or
/// waits for an interrupt.
pub const VCPU_ABLE: u8 = 2;

/// The bits of the urgency that are the priority by which the thread is scheduled; 0 is the most
/// urgent.
pub const EFFECTIVE: u32 = 0x3F;
/// The flag of a thread that only fills the time: a processor's idle thread.
pub const IDLE: u32 = 1 << 31;
/// The flag of a thread that was suspended and not resumed.
pub const SUSPENDED: u32 = 1 << 24;
/// The flag of a thread in a partition that has used up its budget.
pub const DEPLETED: u32 = 1 << 26;
/// The flags of a thread that does not run though it waits for nothing.
pub const HELD: u32 = SUSPENDED | DEPLETED;

/// Meaning of the word at [`WAIT`]: the address of the awaited object with the kind in the lowest
/// bits, or a number and a kind.
pub mod wait {
    /// The bits of the kind.
    pub const KIND: usize = 7;
    /// A word without these bits is the address of an object's wait queue, as it is.
    pub const QUEUE_KIND: usize = 3;
    /// The kind of one that waits for a message.
    pub const RECEIVE: usize = 1;
    /// The kind of one that waits until its message is received.
    pub const SEND: usize = 2;
    /// The kind of one that waits until its call is received.
    pub const CALL: usize = 3;
    /// The kind of one that waits for a thread's end.
    pub const JOIN: usize = 5;
    /// The kind of one that waits for a reply.
    pub const REPLY: usize = 6;
    /// The kind of one that waits for a mutex.
    pub const MUTEX: usize = 7;

    /// A wait without an object: it is of the kind [`SEND`], with one of a few small numbers where
    /// the address would be.
    #[must_use]
    pub const fn alone(number: usize) -> usize {
        assert!(number < ALONE);
        number << 3 | SEND
    }
    /// How many numbers there are of waits without an object.
    pub const ALONE: usize = 8;
    /// For time alone.
    pub const SLEEP: usize = alone(0);
    /// For a notification.
    pub const NOTIFICATION: usize = alone(1);
    /// To be started.
    pub const DORMANT: usize = alone(2);
    /// To be created.
    pub const NON_EXISTENT: usize = alone(3);
    /// For a notification that makes the thread's word another than 0.
    pub const COUNT: usize = alone(4);
    /// To leave the processor that has its registers: it could run, and was moved to other ones.
    pub const MOVING: usize = alone(5);
    /// For a lock of several scheduler instances: its queues are the scheduler's.
    pub const LOCK: usize = alone(6);
    /// For the first of several objects.
    pub const POLL: usize = alone(7);
}
