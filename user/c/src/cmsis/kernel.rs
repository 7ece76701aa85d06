//! Owns: the standard's kernel: its phases, its lock, its sleep, its ticks. Must never know:
//! objects.

use super::interface;
use super::status::{ERROR, ISR, OK, Status};
use crate::os::{FOREVER, Phase, TICK, in_handler, os, ticks};
use taktos::board::Board;
use taktos::{AnyThread, Duration, Instant, Kernel, Timeout};

/// `osVersion_t`: major · 10⁷ + minor · 10⁴ + patch.
#[repr(C)]
pub struct Version {
    /// That of the interface.
    pub api: u32,
    /// That of the kernel.
    pub kernel: u32,
}

const API: u32 = 20_030_000;
const KERNEL: u32 = 10_000;
const NAME: &[u8] = concat!("Taktos ", env!("CARGO_PKG_VERSION"), "\0").as_bytes();

/// Runs the calling thread alone, or no more. Says whether it ran alone before. No other thread
/// runs while the lock is held: its ceiling is above all.
fn set_locked(locked: bool) -> bool {
    let was_locked = os().phase.get() == Phase::Locked;
    if locked && !was_locked {
        let _ = os().lock.lock(Timeout::NONE);
        os().phase.set(Phase::Locked);
    } else if !locked && was_locked {
        os().phase.set(Phase::Running);
        let _ = os().lock.unlock();
    }
    was_locked
}

/// Why the lock cannot be changed now; nothing where it can.
fn refusal() -> Option<Status> {
    if in_handler() {
        return Some(ISR);
    }
    (!matches!(os().phase.get(), Phase::Running | Phase::Locked)).then_some(ERROR)
}

interface! {
    /// Makes the kernel ready: objects can be made from here on.
    fn osKernelInitialize() -> Status {
        if in_handler() {
            return ISR;
        }
        if os().phase.get() != Phase::Inactive {
            return ERROR;
        }
        crate::start::prepare();
        os().phase.set(Phase::Ready);
        OK
    }

    /// The versions of the interface and of the kernel, and its name, as far as there is room.
    fn osKernelGetInfo(version: *mut Version, name: *mut u8, size: u32) -> Status {
        if !version.is_null() {
            let versions = Version { api: API, kernel: KERNEL };
            // SAFETY: the caller guarantees that `version` is writable.
            unsafe { version.write(versions) };
        }
        if !name.is_null() {
            let length = NAME.len().min(size as usize);
            // SAFETY: the caller guarantees that `size` characters at `name` are writable.
            unsafe { name.copy_from_nonoverlapping(NAME.as_ptr(), length) };
        }
        OK
    }

    /// Returns the phase that the kernel is in. Allowed in handlers.
    fn osKernelGetState() -> i32 {
        os().phase.get() as i32
    }

    /// Starts the threads; does not come back. `osError` before `osKernelInitialize`, and a second
    /// time.
    fn osKernelStart() -> Status {
        if in_handler() {
            return ISR;
        }
        if os().phase.get() != Phase::Ready {
            return ERROR;
        }
        super::thread::start_all()
    }

    /// Lets no other thread run until the kernel is unlocked; handlers do. Says whether it was
    /// locked before (1) or not (0). Meanwhile what would wait gives `osErrorResource`.
    fn osKernelLock() -> i32 {
        refusal().unwrap_or_else(|| i32::from(set_locked(true)))
    }

    /// Lets other threads run again. Says whether it was locked before (1) or not (0).
    fn osKernelUnlock() -> i32 {
        refusal().unwrap_or_else(|| i32::from(set_locked(false)))
    }

    /// Locks or unlocks, as `lock` was given back before.
    fn osKernelRestoreLock(lock: i32) -> i32 {
        if let Some(refusal) = refusal() {
            return refusal;
        }
        if !matches!(lock, 0 | 1) {
            return ERROR;
        }
        set_locked(lock == 1);
        lock
    }

    /// Stops scheduling for a deep sleep. Returns the number of ticks for which no thread is to be
    /// woken.
    fn osKernelSuspend() -> u32 {
        if in_handler() || os().phase.get() != Phase::Running {
            return 0;
        }
        let _ = os().lock.lock(Timeout::NONE);
        os().phase.set(Phase::Suspended);
        os().suspended_at.set(Kernel::<Board>::now());
        match Kernel::<Board>::next_timeout() {
            None => FOREVER,
            Some(at) => {
                let left = (at.as_nanos() / TICK).saturating_sub(ticks());
                u32::try_from(left).unwrap_or(FOREVER - 1)
            }
        }
    }

    /// Resumes after `osKernelSuspend`, `slept` ticks of which have passed. If the machine's clock
    /// runs in its sleep, or as far as it did, it has counted them itself.
    fn osKernelResume(slept: u32) {
        if in_handler() || os().phase.get() != Phase::Suspended {
            return;
        }
        let to = os().suspended_at.get().as_nanos() + u64::from(slept) * TICK;
        let missing = to.saturating_sub(Kernel::<Board>::now().as_nanos());
        let _ = Kernel::<Board>::advance(Duration::from_nanos(missing));
        os().phase.set(Phase::Running);
        let _ = os().lock.unlock();
    }

    /// The ticks since the start. Allowed in handlers.
    fn osKernelGetTickCount() -> u32 {
        ticks() as u32
    }

    /// Ticks a second. Allowed in handlers.
    fn osKernelGetTickFreq() -> u32 {
        (1_000_000_000 / TICK) as u32
    }

    /// A counter of nanoseconds. Allowed in handlers.
    fn osKernelGetSysTimerCount() -> u32 {
        Kernel::<Board>::now().as_nanos() as u32
    }

    /// How often a second that counts. Allowed in handlers.
    fn osKernelGetSysTimerFreq() -> u32 {
        1_000_000_000
    }

    /// Safety classes: there are none here, `osError`.
    fn osKernelProtect(_class: u32) -> Status {
        ERROR
    }

    /// Safety classes: there are none here, `osError`.
    fn osKernelDestroyClass(_class: u32, _mode: u32) -> Status {
        ERROR
    }

    /// Waits for `ticks` ticks, the first of which is the current one. `osError` while the kernel
    /// is locked.
    fn osDelay(ticks: u32) -> Status {
        if in_handler() {
            return ISR;
        }
        if ticks == 0 {
            return OK;
        }
        sleep(crate::os::timeout(ticks))
    }

    /// Waits until the tick count is `at`, which is at most 2³¹ − 1 ahead; `osErrorParameter` for
    /// others.
    fn osDelayUntil(at: u32) -> Status {
        if in_handler() {
            return ISR;
        }
        let now = ticks();
        let ahead = at.wrapping_sub(now as u32);
        if ahead == 0 || ahead > i32::MAX as u32 {
            return super::status::PARAMETER;
        }
        sleep(Timeout::until(Instant::from_nanos((now + u64::from(ahead)) * TICK)))
    }
}

fn sleep(timeout: Timeout) -> Status {
    if os().is_locked() || !os().is_running() {
        return ERROR;
    }
    // Its end by another thread's osThreadResume is no error.
    let _ = AnyThread::<Board>::sleep(timeout);
    OK
}
