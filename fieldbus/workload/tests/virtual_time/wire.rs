//! Owns: a wire to a segment in virtual time. Must never know: the controller.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use taktos_ethercat::Wire;
use taktos_kernel::Instant;
use taktos_segment::Segment;

/// From the release of a thread to its frame's first bit.
const SOFTWARE: u64 = 2_000;

/// The segment, the instant, and what is under way to the controller.
pub struct World {
    pub segment: Segment<'static>,
    pub now: u64,
    under_way: VecDeque<(u64, Vec<u8>)>,
}

impl World {
    pub fn new(segment: Segment<'static>) -> Self {
        Self {
            segment,
            now: 1_000_000,
            under_way: VecDeque::new(),
        }
    }
}

/// The controller's end.
pub struct Virtual {
    world: Rc<RefCell<World>>,
    came: Vec<u8>,
}

impl Virtual {
    pub fn new(world: Rc<RefCell<World>>) -> Self {
        Self {
            world,
            came: Vec::new(),
        }
    }
}

impl Wire for Virtual {
    fn now(&mut self) -> Instant {
        Instant::from_nanos(self.world.borrow().now)
    }

    fn send(&mut self, frame: &[u8]) {
        let mut world = self.world.borrow_mut();
        let mut frame = frame.to_vec();
        let entered = world.now + SOFTWARE;
        if let Some(left) = world.segment.pass(&mut frame, entered) {
            world.under_way.push_back((left, frame));
        }
    }

    fn receive(&mut self) -> Option<&[u8]> {
        let mut world = self.world.borrow_mut();
        let (at, _) = world.under_way.front()?;
        if *at > world.now {
            return None;
        }
        self.came = world.under_way.pop_front()?.1;
        Some(&self.came)
    }

    fn wait(&mut self, until: Instant) {
        let mut world = self.world.borrow_mut();
        let next = world.under_way.front().map_or(u64::MAX, |(at, _)| *at);
        let to = next.min(until.as_nanos());
        assert!(to < u64::MAX, "nothing will ever happen");
        world.now = world.now.max(to);
    }
}
