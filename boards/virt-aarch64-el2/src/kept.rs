//! Owns: the hypervisor of an image, the lock before it, and the start order of the processors.
//! Must never know: the partitions. An image takes this file as a module.

use core::arch::global_asm;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};
use taktos_abi::vm::Description;
use taktos_arch_aarch64_el2::{El2, Vcpu};
use taktos_hypervisor::hardware::{Exit, Hardware, Next};
use taktos_hypervisor::{Hypervisor, Memory, Rest, Shared};

/// Object that the first processor makes before the others start; from then on the lock guards it.
struct Guarded<T>(UnsafeCell<T>);

// SAFETY: see above.
unsafe impl<T> Sync for Guarded<T> {}

static DESCRIPTION: Guarded<Description> = Guarded(UnsafeCell::new(Description::EMPTY));
static MEMORY: Guarded<Memory> = Guarded(UnsafeCell::new(Memory::new()));
static SHARED: Shared<El2> = Shared::new();
static HYPERVISOR: Guarded<Option<Hypervisor<El2>>> = Guarded(UnsafeCell::new(None));

// The state of each VCPU, for readers from outside (`taktos_abi::layout`): symbols, and no
// instruction.
global_asm!(
    ".globl \"taktos.layout.vcpu_standing\"",
    ".set \"taktos.layout.vcpu_standing\", {hypervisor} + {offset}",
    ".globl \"taktos.layout.vcpu_stride\"",
    ".set \"taktos.layout.vcpu_stride\", {stride}",
    hypervisor = sym HYPERVISOR,
    offset = const Hypervisor::<El2>::STANDING.0,
    stride = const Hypervisor::<El2>::STANDING.1,
);

// There is no word before the hypervisor that says whether it is there.
const _: () = assert!(size_of::<Option<Hypervisor<El2>>>() == size_of::<Hypervisor<El2>>());

/// Returns the place of the description.
///
/// # Safety
/// The caller is the start-up code, which calls this once.
pub unsafe fn description() -> &'static mut Description {
    // SAFETY: the first use, by this function's contract.
    unsafe { &mut *DESCRIPTION.0.get() }
}

/// Makes the hypervisor of the partitions that are described. Returns whether they are accepted.
///
/// # Safety
/// The caller is the start-up code, which calls this once.
pub unsafe fn make(description: &'static Description) -> bool {
    // SAFETY: the first use of the two, by this function's contract.
    let (memory, hypervisor) = unsafe { (&mut *MEMORY.0.get(), &mut *HYPERVISOR.0.get()) };
    match Hypervisor::new(memory, &SHARED, description) {
        Ok(made) => {
            *hypervisor = Some(made);
            true
        }
        Err(_) => false,
    }
}

/// Whether the first processor has begun; the others follow.
static BEGUN: AtomicBool = AtomicBool::new(false);

pub fn start(cpu: usize) -> Next {
    if cpu == 0 {
        let next = with_hypervisor(Hypervisor::start);
        BEGUN.store(true, Ordering::Release);
        return next;
    }
    while !BEGUN.load(Ordering::Acquire) {
        core::hint::spin_loop();
    }
    with_hypervisor(Hypervisor::start_processor)
}

/// A guest was left. None: it resumes.
#[inline(always)]
pub fn exit(vcpu: &'static Vcpu, exit: Exit) -> Option<Next> {
    SHARED.exit(vcpu, exit).map(exit_rest)
}

pub fn waited(_: usize) -> Next {
    exit_rest(Rest::Waited)
}

/// Does what is left of an exit. It is a function of its own, so that an exit that is done before
/// has no need of its stack.
#[inline(never)]
fn exit_rest(rest: Rest) -> Next {
    with_hypervisor(|hypervisor| hypervisor.exit(rest))
}

/// Gives the hypervisor to `body`, under the lock. The time that the lock is held shows from
/// outside.
#[inline(always)]
fn with_hypervisor(body: impl FnOnce(&mut Hypervisor<El2>) -> Next) -> Next {
    El2::lock();
    taktos_machine::label!("taktos.point.lock-taken");
    // SAFETY: the lock's holder is alone, and an exit does not come here twice: EL2 runs masked.
    let next = unsafe { &mut *HYPERVISOR.0.get() }
        .as_mut()
        .map_or(Next::Idle, body);
    taktos_machine::label!("taktos.point.lock-given-back");
    El2::unlock();
    next
}
