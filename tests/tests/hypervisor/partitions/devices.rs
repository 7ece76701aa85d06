//! Costs of a device of one partition to the others: its guest ends each of its interrupts at once,
//! and the device requests it again.

use taktos_abi::vm::{self, Description, Device, layout};
use taktos_tests::machine_el2::{Act, Guest, Rig};

use super::{COSTS, MS, OFF, Program, RESET, description, words};

const LINE: u32 = 34;
/// The victim, and the partition that has the device.
const VICTIM: usize = 0;
const OWNER: usize = 1;
/// Four of ten milliseconds, and no more.
const SERVER: vm::Server = vm::Server {
    period: 10 * MS,
    budget: 4 * MS,
    extra: false,
    weight: 0,
};
const DEVICE: Device = Device {
    at: 0x0901_0000,
    bytes: 0x1000,
    interrupt: LINE,
};
const CREDIT2: vm::Policy = vm::Policy::Credit2 {
    ratelimit: MS,
    balance: true,
};

fn machine(policy: vm::Policy, cpus: u8) -> Description {
    let mut made = description(policy, cpus, &[1, 1]);
    for vcpu in &mut made.vcpus[..2] {
        vcpu.server = SERVER;
    }
    made.partitions[OWNER].device_count = 1;
    made.partitions[OWNER].devices[0] = DEVICE;
    made
}

/// Runs a machine with a device that interrupts from the beginning, for `span`.
fn run(made: &Description, owner: Program, span: u64) -> Rig {
    made.check().expect("a good description");
    let victim = Program::new(&words(), &[Act::Run(u64::MAX / 2)]);
    let guests: Vec<Box<dyn Guest>> = vec![Box::new(victim), Box::new(owner)];
    let mut rig = Rig::new(made, guests, COSTS);
    rig.set_line(LINE, true);
    rig.run(span);
    rig
}

/// It takes interrupts all the time.
fn storm() -> Program {
    Program::new(&words(), &[Act::Run(u64::MAX / 2)])
}

/// How often `vcpu` was loaded.
fn loads(rig: &Rig, vcpu: usize) -> u64 {
    let shown = rig.shown();
    shown.iter().filter(|shown| shown.2 == Some(vcpu)).count() as u64
}

#[test]
fn interrupts_of_a_device_come_to_where_its_owner_is_loaded() {
    for policy in [vm::Policy::Rtds, CREDIT2] {
        for pinned in [true, false] {
            let mut made = machine(policy, 2);
            if pinned {
                made.vcpus[VICTIM].hard = 1;
            }
            let rig = run(&made, storm(), 50 * MS);
            let taken = rig.registers(OWNER).taken();
            assert!(taken > 10_000, "{policy:?}: {taken}");
            // Its scheduler's timers, the other's calls: none for the device.
            let cost = rig.interrupted(VICTIM);
            assert!(cost <= 20, "{policy:?}, pinned {pinned}: {cost} of {taken}");
        }
    }
}

#[test]
fn a_device_costs_nobody_anything_while_its_owner_is_not_loaded() {
    // Both on one processor, where each has its windows.
    let mut windows = [vm::Window::EMPTY; 16];
    for (vcpu, window) in windows[..2].iter_mut().enumerate() {
        let vcpu = vcpu as u8;
        *window = vm::Window { vcpu, length: MS };
    }
    let table = vm::Policy::Arinc653 {
        frame: 2 * MS,
        count: 2,
        windows,
    };
    let mut rig = run(&machine(table, 1), storm(), 0);
    rig.set_line(LINE, false);
    for frame in 1..10 {
        // In the victim's window it requests; in the owner's it is served.
        rig.run(2 * frame * MS + MS / 4);
        let before = (rig.interrupted(VICTIM), rig.registers(OWNER).taken());
        rig.set_line(LINE, true);
        rig.run(rig.now() + MS / 2);
        let after = (rig.interrupted(VICTIM), rig.registers(OWNER).taken());
        assert_eq!(after, before, "frame {frame}");
        rig.run(rig.now() + MS / 2);
        assert!(rig.registers(OWNER).taken() > before.1 + 100);
        rig.set_line(LINE, false);
    }
}

#[test]
fn the_interrupts_follow_an_owner_that_waited_to_another_processor() {
    for home in 0..2 {
        let mut made = machine(vm::Policy::Rtds, 2);
        made.vcpus[VICTIM].hard = 1 << home;
        let victim = Program::new(&words(), &[Act::WaitUntil(2 * MS), Act::Run(u64::MAX / 2)]);
        let owner = [&words()[..], &[Act::Run(MS), Act::WaitUntil(3 * MS)]].concat();
        let owner = Program::new(&owner, &[Act::Run(u64::MAX / 2)]);
        let mut rig = Rig::new(&made, vec![Box::new(victim), Box::new(owner)], COSTS);
        rig.run(7 * MS / 2);
        rig.set_line(LINE, true);
        let before = rig.interrupted(VICTIM);
        rig.run(4 * MS);
        assert!(rig.registers(OWNER).taken() > 1_000);
        assert!(rig.interrupted(VICTIM) <= before + 2);
    }
}

#[test]
fn the_interrupts_follow_to_a_sibling_that_is_loaded() {
    const CPU_OFF: u64 = 0x8400_0002;
    const CPU_ON: u64 = 0xC400_0003;
    let mut made = description(vm::Policy::Null, 3, &[1, 2]);
    made.partitions[OWNER].device_count = 1;
    made.partitions[OWNER].devices[0] = DEVICE;
    // GICD_IROUTER34 names the second; the second's redistributor is woken by the first.
    let route = Act::Access(
        layout::DISTRIBUTOR + 0x6000 + 8 * u64::from(LINE),
        8,
        Some(1),
    );
    let second = layout::REDISTRIBUTOR + layout::REDISTRIBUTOR_STRIDE;
    let wake = Act::Access(second + 0x14, 4, Some(0));
    let on = Act::Call([CPU_ON, 1, layout::MEMORY, 0]);
    let off = Act::Call([CPU_OFF, 0, 0, 0]);
    let first = [&words()[..], &[route, wake, on, Act::Run(MS), off]].concat();
    let guests = [storm(), Program::new(&first, &[Act::Wait]), storm()];
    let mut all: Vec<Box<dyn Guest>> = Vec::new();
    for guest in guests {
        all.push(Box::new(guest));
    }
    let mut rig = Rig::new(&made, all, COSTS);
    rig.run(2 * MS);
    rig.set_line(LINE, true);
    rig.run(3 * MS);
    assert!(rig.registers(OWNER + 1).taken() > 1_000);
    assert_eq!(rig.interrupted(VICTIM), 0);
}

#[test]
fn a_device_wakes_its_owner_and_costs_others_one_exit_for_each_wait() {
    let owner = Program::new(&words(), &[Act::Wait]);
    let mut made = machine(vm::Policy::Rtds, 1);
    made.vcpus[OWNER].server.period = 5 * MS;
    let rig = run(&made, owner, 50 * MS);
    let taken = rig.registers(OWNER).taken();
    assert!(taken > 1_000, "{taken}");
    let (cost, waits) = (rig.interrupted(VICTIM), loads(&rig, OWNER));
    assert!(cost <= waits + 50, "{cost} for {waits} waits");
}

#[test]
fn a_device_whose_owner_is_off_asks_in_vain() {
    let off = Program::new(&[Act::Call([OFF, 0, 0, 0])], &[Act::Wait]);
    let rig = run(&machine(vm::Policy::Null, 2), off, 50 * MS);
    assert_eq!(rig.interrupted(VICTIM), 0);
    assert_eq!(rig.registers(OWNER).taken(), 0);
}

#[test]
fn a_device_serves_each_life_of_its_owner() {
    let again = Program::new(&words(), &[Act::Run(MS), Act::Call([RESET, 0, 0, 0])]);
    let mut rig = run(&machine(vm::Policy::Null, 2), again, MS / 10);
    let mut taken = Vec::new();
    for life in 1..6 {
        taken.push(rig.registers(OWNER).taken());
        rig.set_line(LINE, false);
        rig.run(rig.now() + 3 * MS / 2);
        rig.set_line(LINE, true);
        rig.run(rig.now() + MS / 10);
        assert!(rig.hypervisor().starts(OWNER) > life);
    }
    let grows = taken.windows(2).all(|two| two[1] > two[0] + 100);
    assert!(grows, "{taken:?}");
    assert_eq!(rig.interrupted(VICTIM), 0);
}
