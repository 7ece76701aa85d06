//! The host machine itself: time, interrupts, slices, ends.
#![expect(
    unsafe_code,
    reason = "what the machine tells the kernel, in an instant of the test's own"
)]

use std::cell::{Cell, RefCell};
use taktos_arch_host::{End, Handler, Host};
use taktos_kernel::{Instant, Kernel, Span, System, Timeout, Upcall};
use taktos_machine::{Cause, Machine, NestedSection, Upcalls};
use taktos_tests::{AnyThread, HostSystem, Semaphore, Thread, leak, run, spawn};

thread_local! {
    static LOG: RefCell<String> = const { RefCell::new(String::new()) };
}

fn log(text: &str) {
    LOG.with(|log| log.borrow_mut().push_str(text));
}

fn micros() -> u64 {
    Kernel::<HostSystem>::now().as_nanos() / 1_000
}

#[test]
fn a_world_ends_by_an_exit() {
    let outcome = run(|| {
        HostSystem::write("hello");
        HostSystem::exit(3)
    });
    assert_eq!(outcome.status(), Some(3));
    assert_eq!(outcome.console, "hello");
    assert_eq!(outcome.time, Instant::START);
}

#[test]
fn a_world_in_which_all_wait_for_ever_is_a_deadlock() {
    let outcome = run(|| {
        let _ = leak(Semaphore::new(0)).take(Timeout::FOREVER);
        unreachable!();
    });
    assert!(matches!(outcome.end, End::Deadlock));
    assert_eq!(
        outcome.end.to_string(),
        "deadlock: all threads wait for ever"
    );
}

#[test]
fn a_panic_in_a_thread_reaches_the_test() {
    let result = std::panic::catch_unwind(|| run(|| panic!("as expected")));
    assert!(result.is_err());
    // The next world on the same thread is not disturbed.
    assert_eq!(run(|| HostSystem::exit(0)).status(), Some(0));
}

#[test]
fn time_passes_only_where_it_is_spent() {
    let outcome = run(|| {
        assert_eq!(micros(), 0);
        Host::spend(7u32.micros());
        assert_eq!(micros(), 7);
        AnyThread::sleep(10u32.micros()).unwrap();
        assert_eq!(micros(), 17);
        HostSystem::exit(0)
    });
    assert_eq!(outcome.time.as_nanos(), 17_000);
}

#[test]
fn interrupts_come_at_their_time_and_preempt() {
    run(|| {
        let semaphore = leak(Semaphore::new(0));
        spawn("urgent", 1, || {
            semaphore.take(Timeout::FOREVER).unwrap();
            log(&format!("urgent at {} ", micros()));
            Host::spend(10u32.micros());
        });
        Host::interrupt_at(Instant::from_nanos(5_000), || {
            assert!(Host::in_interrupt());
            semaphore.give().unwrap();
            log(&format!("interrupt at {} ", micros()));
        });
        Host::spend(20u32.micros());
        log(&format!("main at {}", micros()));
        HostSystem::exit(0)
    });
    assert_eq!(LOG.take(), "interrupt at 5 urgent at 5 main at 30");
}

#[test]
fn equals_take_turns_by_slices() {
    run(|| {
        Kernel::<HostSystem>::set_time_slice(Some(10u32.micros())).unwrap();
        for name in ["a", "b", "c"] {
            spawn(name, 20, move || {
                Host::spend(25u32.micros());
                log(&format!("{name}{} ", micros()));
            });
        }
        AnyThread::sleep(100u32.micros()).unwrap();
        HostSystem::exit(0)
    });
    // Two full turns for each, then 5 microseconds each.
    assert_eq!(LOG.take(), "a65 b70 c75 ");
}

#[test]
fn a_slice_that_ends_when_another_thread_is_chosen_leaves_nothing_to_its_thread() {
    let note = |name: &str| {
        log(&format!(
            "{name}{} ",
            Kernel::<HostSystem>::now().as_nanos()
        ))
    };
    run(move || {
        Kernel::<HostSystem>::set_time_slice(Some(10u32.micros())).unwrap();
        let wake = leak(Semaphore::new(0));
        spawn("urgent", 4, move || {
            wake.take(Timeout::FOREVER).unwrap();
            note("urgent");
        });
        for name in ["a", "b"] {
            spawn(name, 20, move || {
                note(name);
                Host::spend(15u32.micros());
                note(name);
            });
        }
        Host::interrupt_at(Instant::from_nanos(6_000), move || {
            wake.give().unwrap();
            // SAFETY: in a handler, as the machine's own end of a slice.
            unsafe { <Upcall<HostSystem> as Upcalls>::slice_end() };
        });
        AnyThread::sleep(100u32.micros()).unwrap();
        HostSystem::exit(0)
    });
    // The first one's turn ends no earlier than when it continues, and then at once.
    assert_eq!(LOG.take(), "a0 urgent6000 b6002 a25000 b30000 ");
}

#[test]
fn a_hook_sees_each_unmask_and_injects_interrupts() {
    run(|| {
        let semaphore = leak(Semaphore::new(0));
        let unmasks = leak(std::sync::atomic::AtomicU32::new(0));
        Host::at_each_unmask(|| {
            let number = unmasks.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            (number == 2).then(|| Box::new(|| semaphore.give().unwrap()) as Handler)
        });
        assert_eq!(semaphore.count(), 0);
        assert_eq!(semaphore.count(), 0);
        assert_eq!(semaphore.count(), 0);
        assert_eq!(semaphore.count(), 1);
        HostSystem::exit(0)
    });
}

#[test]
fn a_fault_is_reported_with_its_cause_and_thread() {
    let outcome = run(|| Host::raise(Cause::StackOverflow));
    assert_eq!(outcome.status(), Some(taktos_kernel::fault::EXIT_STATUS));
    assert_eq!(outcome.console, "fault: stack overflow in thread 'main'\n");
}

#[test]
fn a_thread_restarts_where_it_began() {
    thread_local!(static ROUNDS: Cell<u32> = const { Cell::new(0) });
    run(|| {
        let thread = leak(Thread::new("again").priority(1));
        for _ in 0..5 {
            thread.start(|| ROUNDS.set(ROUNDS.get() + 1)).unwrap();
            thread.join(Timeout::NONE).unwrap();
        }
        HostSystem::exit(0)
    });
    assert_eq!(ROUNDS.get(), 5);
}

#[test]
fn two_thousand_threads_fit() {
    let outcome = run(|| {
        let semaphore = leak(Semaphore::new(0));
        for _ in 0..2_000 {
            spawn("one of many", 3, || {
                semaphore.take(Timeout::FOREVER).unwrap()
            });
        }
        for _ in 0..2_000 {
            semaphore.give().unwrap();
        }
        HostSystem::exit(0)
    });
    assert_eq!(outcome.status(), Some(0));
    assert!(outcome.switches >= 6_000);
}

/// A section of other libraries that is entered in the midst of one of the kernel leaves the mask;
/// elsewhere it ends what it began.
#[test]
#[expect(unsafe_code, reason = "leaves what it has entered")]
fn a_nested_section_leaves_the_mask_as_it_found_it() {
    static SECTION: NestedSection<Host> = NestedSection::new();
    let enter_and_leave = || {
        SECTION.acquire();
        SECTION.acquire();
        // SAFETY: entered above, twice.
        unsafe {
            assert!(!SECTION.release(|| unreachable!("one entry is left")));
            assert!(SECTION.release(|| ()));
        }
    };
    let outcome = run(move || {
        Host::mask();
        enter_and_leave();
        // The host's machine refuses the end of a mask that has ended.
        Host::unmask(());
        enter_and_leave();
        // And a mask in the midst of one that has not.
        Host::mask();
        Host::unmask(());
        HostSystem::exit(0);
    });
    assert_eq!(outcome.status(), Some(0));
}
