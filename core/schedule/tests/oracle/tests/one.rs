//! On one processor the priority policy of several processors decides as the kernel's ready queue
//! does.

#[path = "../../common/chains.rs"]
mod chains;
mod common;

use chains::Chains;
use common::*;
use taktos_schedule::{
    Priority, ReadyQueue, Ring,
    smp::{self, PolicyKind, Thread},
};

const THREADS: usize = 10;

#[test]
fn the_same_order_as_the_kernel_s_queue() {
    let idle = THREADS;
    let mut world = World::new(THREADS, set([0]), &[one(PolicyKind::Priority, 1)]);
    let chains = Chains::new(THREADS);
    let queue = ReadyQueue::<usize>::EMPTY;
    queue.set_idle(idle);
    let mut levels = [0_u8; THREADS];
    let mut ready = [false; THREADS];
    for (id, level) in levels.iter_mut().enumerate() {
        *level = (id % 4) as u8;
        chains.make_alone(id);
        let thread = world
            .system
            .create(MAIN, smp::Priority(u32::from(*level)), None)
            .unwrap();
        world.act(|system, now, fx| system.suspend(thread, now, fx));
        world.act(|system, now, fx| system.start(thread, now, fx));
    }
    let of = |level: u8| Priority::new(level).unwrap();
    let mut state = 1_u64;
    for _ in 0..if cfg!(miri) { 100 } else { 300_000 } {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let id = (state >> 33) as usize % THREADS;
        let thread = Thread::new(id).unwrap();
        let level = of(levels[id]);
        match (state >> 50) % 4 {
            0 if ready[id] => {
                queue.remove(&chains, id, level);
                chains.make_alone(id);
                ready[id] = false;
                world.act(|system, now, fx| system.suspend(thread, now, fx));
            }
            0 | 1 if !ready[id] => {
                queue.append(&chains, id, level);
                ready[id] = true;
                world.act(|system, now, fx| system.resume(thread, now, fx));
            }
            2 if ready[id] && queue.top() == Some(id) => {
                queue.rotate(&chains, level);
                world.act(|system, now, fx| system.yield_now(thread, now, fx));
            }
            3 => {
                let to = (state >> 56) as u8 % 4;
                if ready[id] && to != levels[id] {
                    queue.remove(&chains, id, level);
                    chains.make_alone(id);
                    queue.append(&chains, id, of(to));
                }
                levels[id] = to;
                let priority = smp::Priority(u32::from(to));
                world.act(|system, now, fx| system.set_priority(thread, priority, now, fx));
            }
            _ => {}
        }
        let expected = queue.top().filter(|&top| top != idle);
        assert_eq!(world.running(1)[0].map(Thread::index), expected);
    }
}
