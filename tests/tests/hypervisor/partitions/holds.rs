//! The work of one hold of the lock, and in which guest's time it is done.

use taktos_abi::vm::{self, layout};
use taktos_tests::machine_el2::{Act, Guest, Rig, write};

use super::{COSTS, MS, Program, description};

/// CNTP_CTL_EL0 and CNTP_CVAL_EL0.
const CONTROL: [u64; 5] = [3, 3, 14, 2, 1];
const COMPARE: [u64; 5] = [3, 3, 14, 2, 2];
/// PSCI's CPU_ON.
const CPU_ON: u64 = 0xC400_0003;
const SLEEPERS: u64 = 4;
/// When all of them wake.
const WAKE: u64 = 4 * MS + MS / 4;

/// The writes of a kernel before its VCPU `vcpu` takes interrupts of both timers.
fn words(vcpu: u64) -> [Act; 4] {
    let own = layout::REDISTRIBUTOR + vcpu * layout::REDISTRIBUTOR_STRIDE;
    let timers = 1 << layout::TIMER_INTERRUPT | 1 << layout::PHYSICAL_TIMER_INTERRUPT;
    let words = [
        (layout::DISTRIBUTOR, 2),
        (own + 0x14, 0),
        (own + 0x1_0080, 0xFFFF_FFFF),
        (own + 0x1_0100, timers),
    ];
    words.map(|(at, value)| Act::Access(at, 4, Some(value)))
}

/// A guest that is busy, and one of [`SLEEPERS`] VCPUs that wait for one instant by both timers,
/// one processor for all of them.
fn sleepers(policy: vm::Policy, servers: [vm::Server; 2]) -> Rig {
    let mut made = description(policy, 1, &[1, SLEEPERS as u8]);
    for (vcpu, record) in made.vcpus[..=SLEEPERS as usize].iter_mut().enumerate() {
        record.server = servers[usize::from(vcpu > 0)];
    }
    made.check().expect("a good description");
    let busy = Program::new(&[], &[Act::Run(u64::MAX / 2)]);
    let mut guests: Vec<Box<dyn Guest>> = vec![Box::new(busy)];
    for vcpu in 0..SLEEPERS {
        let mut acts = words(vcpu).to_vec();
        if vcpu == 0 {
            let on = |vcpu| Act::Call([CPU_ON, vcpu, layout::MEMORY, 0]);
            acts.extend((1..SLEEPERS).map(on));
        }
        acts.extend([write(COMPARE, WAKE), write(CONTROL, 1)]);
        acts.push(Act::WaitUntil(WAKE));
        guests.push(Box::new(Program::new(
            &acts,
            &[Act::Run(MS / 100), Act::Wait],
        )));
    }
    Rig::new(&made, guests, COSTS)
}

const SERVER: vm::Server = vm::Server {
    period: MS,
    budget: MS / 8,
    extra: false,
    weight: 0,
};

#[test]
fn the_lock_is_given_back_between_two_timers() {
    let mut rig = sleepers(vm::Policy::Rtds, [SERVER; 2]);
    rig.run(WAKE - 1);
    let before = rig.holds();
    rig.run(WAKE + COSTS.exit);
    // Each of them waits by two timers.
    assert!(
        rig.holds() >= before + 2 * SLEEPERS,
        "{}",
        rig.holds() - before
    );
}

#[test]
fn nobody_wakes_in_the_window_of_another() {
    let mut windows = [vm::Window::EMPTY; 16];
    let length = MS / 2;
    for (vcpu, window) in windows[..=SLEEPERS as usize].iter_mut().enumerate() {
        let vcpu = vcpu as u8;
        *window = vm::Window { vcpu, length };
    }
    let frame = (SLEEPERS + 1) * length;
    let table = vm::Policy::Arinc653 {
        frame,
        count: SLEEPERS as u8 + 1,
        windows,
    };
    let mut rig = sleepers(table, [SERVER; 2]);
    rig.run(10 * frame);
    // The ends of its own windows, and no other timer.
    let own = rig
        .shown()
        .iter()
        .filter(|shown| shown.2 == Some(0))
        .count() as u64;
    assert!(own >= 10);
    assert_eq!(rig.interrupted(0), own);
    // All of them woke in their own windows after that.
    for vcpu in 1..=SLEEPERS as usize {
        assert!(rig.registers(vcpu).taken() > 0, "{vcpu}");
    }
}

#[test]
fn the_physical_timer_of_a_vcpu_that_is_not_loaded_interrupts_nobody() {
    // The second uses up its budget, and has its timer due every 20 us.
    let servers = [(4, 2), (10, 1)].map(|(period, budget)| vm::Server {
        period: period * MS,
        budget: budget * MS,
        ..SERVER
    });
    let mut made = description(vm::Policy::Rtds, 1, &[1, 1]);
    for (record, server) in made.vcpus.iter_mut().zip(servers) {
        record.server = server;
    }
    made.check().expect("a good description");
    let busy = Program::new(&[], &[Act::Run(u64::MAX / 2)]);
    let mut begin = words(0).to_vec();
    // In the first guest's second budget.
    begin.extend([write(COMPARE, 5 * MS), write(CONTROL, 1)]);
    let other = Program::new(&begin, &[Act::Run(u64::MAX / 2)]);
    let mut rig = Rig::new(&made, vec![Box::new(busy), Box::new(other)], COSTS);
    rig.run(9 * MS / 2);
    let before = rig.interrupted(0);
    rig.run(11 * MS / 2);
    assert_eq!(rig.interrupted(0), before);
    assert_eq!(rig.registers(1).taken(), 0);
    rig.run(12 * MS);
    assert!(rig.registers(1).has_taken(layout::PHYSICAL_TIMER_INTERRUPT));
}
