//! Owns: mutexes in the model.

use super::answer::{Answer, DONE};
use super::kernel::{Kernel, Owner, Place};
use super::operation::Wait;
use super::thread::Waits;
use taktos_kernel::Error;

impl Kernel {
    pub fn lock(&mut self, me: usize, mutex: usize, wait: Wait) -> Option<Answer> {
        let ceiling = self.mutexes[mutex].ceiling;
        let too_urgent = ceiling.is_some_and(|ceiling| self.threads[me].base < ceiling);
        match self.mutexes[mutex].owner {
            Owner::Gone => Some(Err(Error::Deleted)),
            Owner::Thread(owner) if owner == me && self.mutexes[mutex].recursive => {
                self.mutexes[mutex].depth += 1;
                Some(DONE)
            }
            Owner::Thread(owner) if owner == me => Some(Err(Error::Deadlock)),
            _ if too_urgent => Some(Err(Error::Ceiling)),
            Owner::Nobody => {
                self.mutexes[mutex].owner = Owner::Thread(me);
                self.threads[me].owned.push(mutex);
                self.settle(|_| Place::First);
                Some(DONE)
            }
            Owner::Thread(_) if wait == Wait::None => Some(Err(Error::WouldBlock)),
            Owner::Thread(owner) if self.closes_ring(me, owner) => Some(Err(Error::Deadlock)),
            Owner::Thread(_) => self.block(me, Waits::Mutex(mutex), wait),
        }
    }

    pub fn unlock(&mut self, me: usize, mutex: usize) -> Answer {
        match self.mutexes[mutex].owner {
            Owner::Gone => Err(Error::Deleted),
            Owner::Thread(owner) if owner == me => {
                if self.mutexes[mutex].depth > 0 {
                    self.mutexes[mutex].depth -= 1;
                } else {
                    self.release(mutex, me);
                }
                Ok(Default::default())
            }
            _ => Err(Error::NotOwner),
        }
    }

    /// Takes `mutex` from `owner` and gives it to the first thread that waits for it.
    pub fn release(&mut self, mutex: usize, owner: usize) {
        self.threads[owner].owned.retain(|other| *other != mutex);
        self.mutexes[mutex].depth = 0;
        self.mutexes[mutex].owner = Owner::Nobody;
        if let Some(next) = self.waiting(Waits::Mutex(mutex)).first().copied() {
            self.mutexes[mutex].owner = Owner::Thread(next);
            self.threads[next].owned.push(mutex);
            self.wake(next, DONE);
        }
        self.settle(|thread| {
            if thread == owner {
                Place::First
            } else {
                Place::Last
            }
        });
    }

    pub fn delete_mutex(&mut self, mutex: usize) -> Answer {
        match self.mutexes[mutex].owner {
            Owner::Gone => Err(Error::Deleted),
            Owner::Thread(_) => Err(Error::InUse),
            Owner::Nobody => {
                self.mutexes[mutex].owner = Owner::Gone;
                DONE
            }
        }
    }

    pub fn renew_mutex(&mut self, mutex: usize) -> Answer {
        if self.mutexes[mutex].owner != Owner::Gone {
            return Err(Error::State);
        }
        self.mutexes[mutex].owner = Owner::Nobody;
        DONE
    }

    /// Whether `me` would wait for itself if it waited for `other`.
    pub fn closes_ring(&self, me: usize, other: usize) -> bool {
        let mut next = Some(other);
        while let Some(thread) = next {
            if thread == me {
                return true;
            }
            next = match self.threads[thread].waits {
                Some(Waits::Mutex(mutex)) => match self.mutexes[mutex].owner {
                    Owner::Thread(owner) => Some(owner),
                    _ => None,
                },
                Some(Waits::Join(thread) | Waits::ReceiveFrom(thread)) => Some(thread),
                waits => waits.and_then(Waits::served_by),
            };
        }
        false
    }
}
