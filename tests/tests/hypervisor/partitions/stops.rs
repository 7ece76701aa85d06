//! Exits that are under way when their partition is stopped.

use std::cell::RefCell;
use std::rc::Rc;

use taktos_abi::vm::{self, Linkage, call, layout};
use taktos_tests::machine_el2::{self, Act, Guest, Rig, View};

use super::{COSTS, MS, OFF, Program, RESET, byte, connect, description, words};

/// PSCI's CPU_OFF, CPU_ON and CPU_SUSPEND.
const CPU_OFF: u64 = 0x8400_0002;
const CPU_ON: u64 = 0xC400_0003;
const CPU_SUSPEND: u64 = 0xC400_0001;
/// ESR_EL2 of a fetch from where nothing is, which stops the partition of a kernel that does it.
const FETCH: u64 = 0x20 << 26 | 1 << 25;
/// MDSCR_EL1, CNTP_CTL_EL0, CNTP_CVAL_EL0 and ICC_SGI1R_EL1.
const DEBUG: [u64; 5] = [2, 0, 0, 2, 2];
const CONTROL: [u64; 5] = [3, 3, 14, 2, 1];
const COMPARE: [u64; 5] = [3, 3, 14, 2, 2];
const SEND: [u64; 5] = [3, 0, 12, 11, 5];

/// The values of x0 and x5 before each act since the guest was reset last.
type Answers = Rc<RefCell<Vec<[u64; 2]>>>;

/// A guest that does its first acts, runs until an instant, and does one more; in a later life only
/// the first ones.
struct Punctual {
    first: Vec<Act>,
    at: u64,
    act: Act,
    next: usize,
    answers: Answers,
}

impl Punctual {
    fn new(first: &[Act], at: u64, act: Act) -> Self {
        Self {
            first: first.to_vec(),
            at,
            act,
            next: 0,
            answers: Answers::default(),
        }
    }
}

impl Guest for Punctual {
    fn begin(&mut self) {
        self.next = 0;
        self.answers.borrow_mut().clear();
    }

    fn next(&mut self, view: View) -> Act {
        self.answers.borrow_mut().push(view.answer);
        let next = self.next;
        self.next += 1;
        match next.checked_sub(self.first.len()) {
            None => self.first[next],
            Some(0) if view.now < self.at => Act::Run(self.at - view.now),
            Some(1) => self.act,
            _ => Act::Run(u64::MAX / 2),
        }
    }
}

/// Time at which a partition is stopped. Its second VCPU traps half an exit later, before any
/// processor can call it.
const STOP: u64 = MS;
const UNDER_WAY: u64 = STOP + COSTS.exit / 2;

/// A partition of three VCPUs with a processor each, which the first one stops by `stop` while the
/// second one's `exit` is under way, and a peer at the other end of a channel; 1 ms later. With
/// what the first two saw in their last life.
fn stopped(stop: Act, exit: Act) -> (Rig, [Vec<[u64; 2]>; 2]) {
    let mut made = description(vm::Policy::Null, 4, &[3, 1]);
    connect(&mut made, Linkage::Memory, 1);
    let on = Act::Call([CPU_ON, 1, layout::MEMORY, 0]);
    let registers = [DEBUG, CONTROL, COMPARE].map(machine_el2::read);
    let timer = Act::Timer(Some(STOP + MS / 100));
    let first = Punctual::new(&[&words()[..], &[on]].concat(), STOP, stop);
    let second = Punctual::new(&[&registers[..], &[timer]].concat(), UNDER_WAY, exit);
    let answers = [&first, &second].map(|guest| Rc::clone(&guest.answers));
    let idle = Program::new(&[], &[Act::Run(MS)]);
    let peer = Program::new(&words(), &[Act::Run(MS)]);
    made.check().expect("a good description");
    let guests: Vec<Box<dyn Guest>> = vec![
        Box::new(first),
        Box::new(second),
        Box::new(idle),
        Box::new(peer),
    ];
    let mut rig = Rig::new(&made, guests, COSTS);
    rig.run_and(STOP + MS, |rig| {
        let checked = rig.hypervisor().check_invariants();
        checked.expect("what holds between two exits");
    });
    (rig, answers.map(|answers| answers.borrow().clone()))
}

/// Exits of each kind that change something beyond the processor.
fn exits() -> Vec<Act> {
    let call = |number: u64| Act::Call([number, 2, layout::MEMORY, 0]);
    let mut exits = vec![
        Act::Wait,
        byte(b'x'),
        Act::Access(layout::DISTRIBUTOR + 0x200, 4, Some(u64::MAX)),
        Act::Exception(FETCH, 0, 0, 0),
        Act::Call([call::DOORBELL.into(), 0, 0, 0]),
    ];
    exits.extend([CPU_SUSPEND, CPU_ON, CPU_OFF, OFF, RESET, call::YIELD.into()].map(call));
    let writes = [
        (DEBUG, 1 << 12),
        (COMPARE, STOP + MS / 50),
        (CONTROL, 1),
        (SEND, 1 << 40),
    ];
    exits.extend(writes.map(|(register, value)| machine_el2::write(register, value)));
    exits
}

/// Whether an exit is carried out without the lock of the hypervisor.
fn is_own(exit: Act) -> bool {
    let controller = matches!(exit, Act::Access(at, ..) if at < layout::CONSOLE);
    controller || rings(exit) || exit == machine_el2::write(DEBUG, 1 << 12)
}

/// Whether an exit is a doorbell, which the other end hears: it is as if it had rung before.
fn rings(exit: Act) -> bool {
    matches!(exit, Act::Call([call, ..]) if call == u64::from(call::DOORBELL))
}

#[test]
fn nothing_is_done_for_a_vcpu_whose_partition_was_stopped_while_its_exit_was_under_way() {
    for exit in exits() {
        for stop in [Act::Call([OFF, 0, 0, 0]), Act::Exception(FETCH, 0, 0, 0)] {
            let (rig, [_, second]) = stopped(stop, exit);
            let what = format!("{exit:?} under way at {stop:?}");
            // Three registers, the timer, the instant, the exit; and what follows an exit that
            // concerns the partition alone, until the call arrives.
            assert_eq!(second.len(), 6 + usize::from(is_own(exit)), "{what}");
            assert_eq!(rig.hypervisor().starts(0), 1, "{what}");
            assert_eq!(rig.registers(2).resets(), 0, "{what}");
            assert_eq!(rig.registers(3).taken(), u64::from(rings(exit)), "{what}");
            assert_eq!(rig.console().lines().count(), 1, "{what}");
        }
    }
}

#[test]
fn no_vcpu_of_the_life_before_enters_the_next_one() {
    for exit in exits() {
        let (rig, [first, second]) = stopped(Act::Call([RESET, 0, 0, 0]), exit);
        let what = format!("{exit:?} under way at a reset");
        assert_eq!(rig.hypervisor().starts(0), 2, "{what}");
        // CPU_ON, the last act but the instant's, succeeds.
        assert_eq!(first.last().map(|answer| answer[0]), Some(0), "{what}");
        let read: Vec<u64> = second[1..4].iter().map(|answer| answer[1]).collect();
        assert_eq!(read, [0; 3], "{what}");
        assert_eq!(rig.registers(2).resets(), 0, "{what}");
        assert_eq!(rig.registers(3).taken(), u64::from(rings(exit)), "{what}");
    }
}

/// A partition of two VCPUs with a processor each: the first one does these acts in each life, and
/// resets the partition in the first one; the second one is busy, so the partition is being stopped
/// until it was called. With what the first one saw in its last life.
fn resetting(acts: &[Act]) -> (Vec<Box<dyn Guest>>, Answers) {
    let on = Act::Call([CPU_ON, 1, layout::MEMORY, 0]);
    let first = Punctual::new(&[&[on], acts].concat(), STOP, Act::Call([RESET, 0, 0, 0]));
    let answers = Rc::clone(&first.answers);
    let busy = Program::new(&[], &[Act::Run(u64::MAX / 2)]);
    (vec![Box::new(first), Box::new(busy)], answers)
}

/// In the middle of the time in which the partition is being stopped.
const STOPPING: u64 = STOP + COSTS.exit + COSTS.call / 2;

#[test]
fn what_is_sent_to_a_partition_that_is_being_stopped_comes_to_its_next_life() {
    let mut made = description(vm::Policy::Null, 4, &[2, 1]);
    connect(&mut made, Linkage::Uart, 1);
    made.channels[0].ends[1].linkage = Linkage::Uart;
    let (mut guests, answers) = resetting(&[Act::Access(layout::CHANNEL_UART, 4, None)]);
    let send = Act::Access(layout::CHANNEL_UART, 4, Some(b'z'.into()));
    guests.push(Box::new(Punctual::new(&[], STOPPING - COSTS.exit, send)));
    let mut rig = Rig::new(&made, guests, COSTS);
    rig.run(STOPPING);
    assert_eq!(rig.hypervisor().starts(0), 1);
    rig.run(2 * STOP);
    assert_eq!(rig.hypervisor().starts(0), 2);
    assert_eq!(answers.borrow()[2][1], u64::from(b'z'));
}

#[test]
fn what_is_typed_while_a_partition_is_being_stopped_comes_to_none_of_its_lives() {
    let made = description(vm::Policy::Null, 2, &[2]);
    let read = Act::Access(layout::CONSOLE, 4, None);
    let (guests, answers) = resetting(&[Act::Run(STOP / 2), read]);
    let mut rig = Rig::new(&made, guests, COSTS);
    rig.run(STOP / 4);
    rig.type_in(b"r");
    rig.run(STOP - 1);
    assert_eq!(answers.borrow()[3][1], u64::from(b'r'));
    rig.run(STOPPING);
    rig.type_in(b"q");
    rig.run(STOPPING + 1);
    assert_eq!(rig.hypervisor().starts(0), 1);
    rig.run(3 * STOP);
    assert_eq!(rig.hypervisor().starts(0), 2);
    assert_eq!(answers.borrow()[3][1], 0);
}
