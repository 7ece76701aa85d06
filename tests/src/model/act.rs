//! Owns: what each operation does in the model.

use super::answer::{Answer, DONE, polled, word};
use super::kernel::{Kernel, Place};
use super::operation::{Operation, ROOM, SETS, Wait};
use super::thread::{Life, Waits};
use taktos_kernel::Error;

impl Kernel {
    /// The running thread does `operation`. Returns whether the next thread continues the present
    /// slice.
    pub fn act(&mut self, operation: &Operation) {
        let me = self.current.expect("somebody runs");
        let answer = self.act_as(me, operation);
        // One that has ended, or waits, gets its answer otherwise.
        if answer.is_some() {
            self.threads[me].answer = answer;
        }
        self.settle(|_| Place::Last);
        let keeps_slice = self
            .top()
            .is_some_and(|next| self.goes_on(me, operation, next));
        self.switch(keeps_slice);
        if *operation == Operation::Yield && self.current == Some(me) {
            self.begin_slice();
        }
    }

    fn act_as(&mut self, me: usize, operation: &Operation) -> Option<Answer> {
        use Operation as O;
        Some(match *operation {
            O::Sleep(Wait::None | Wait::Past(_)) => {
                self.rotate();
                DONE
            }
            O::Sleep(wait) => return self.block(me, Waits::Sleep, wait),
            O::Spend(span) => {
                self.threads[me].busy = span;
                DONE
            }
            O::Take(semaphore, wait) => return self.take(me, semaphore, wait),
            O::Lock(mutex, wait) => return self.lock(me, mutex, wait),
            O::Unlock(mutex) => self.unlock(me, mutex),
            O::Put(queue, number, wait) => return self.put(me, queue, number as usize, wait),
            O::Get(queue, wait) => return self.get(me, queue, wait),
            O::Poll(set, wait) => return self.poll(me, set, wait),
            O::Join(thread, wait) => return self.join(me, thread, wait),
            O::Delete(thread) => {
                let answer = self.delete(thread);
                return (thread != me).then_some(answer);
            }
            O::Exit => {
                self.end(me, Life::Dormant);
                return None;
            }
            O::Send(to, word, wait) => return self.send(me, to, word, wait),
            O::ReceiveFrom(from, wait) if from != me => return self.receive_from(me, from, wait),
            O::ReceiveFrom(_, wait) | O::Receive(wait) => return self.receive(me, wait),
            O::Call(to, word, wait) => return self.call(me, to, word, wait),
            O::Reply(caller, word) => self.reply(me, caller, word),
            O::ReplyAndReceive(caller, word, wait) => {
                return self.reply_and_receive(me, caller, word, wait);
            }
            O::SetSlice(length) => {
                self.set_slice(length);
                DONE
            }
            O::Interrupt(delay, ref operations) => {
                self.ask_interrupt(delay, operations.clone());
                DONE
            }
            _ => self.act_anywhere(operation),
        })
    }

    /// A handler does `operation`.
    pub fn act_in_handler(&mut self, operation: &Operation) -> Answer {
        use Operation as O;
        let answer = match *operation {
            O::Take(semaphore, _) if self.semaphores[semaphore].count == 0 => Err(Error::Context),
            O::Take(semaphore, _) => self.take(0, semaphore, Wait::None).unwrap_or(DONE),
            O::Put(queue, number, _) if self.has_room(queue) => self
                .put(0, queue, number as usize, Wait::None)
                .unwrap_or(DONE),
            O::Get(queue, _) if !self.queues[queue].messages.is_empty() => {
                self.get(0, queue, Wait::None).unwrap_or(DONE)
            }
            O::Put(..) | O::Get(..) | O::Poll(..) | O::Join(..) | O::Sleep(_) => {
                Err(Error::Context)
            }
            _ => self.act_anywhere(operation),
        };
        self.settle(|_| Place::Last);
        answer
    }

    fn act_anywhere(&mut self, operation: &Operation) -> Answer {
        use Operation as O;
        match *operation {
            O::Yield => {
                self.rotate();
                DONE
            }
            O::Give(semaphore) => self.give(semaphore),
            O::DeleteSemaphore(semaphore) => self.delete_semaphore(semaphore),
            O::RenewSemaphore(semaphore, count, limit) => {
                self.renew_semaphore(semaphore, count, limit)
            }
            O::DeleteMutex(mutex) => self.delete_mutex(mutex),
            O::RenewMutex(mutex) => self.renew_mutex(mutex),
            O::DeleteQueue(queue) => self.delete_queue(queue),
            O::RenewQueue(queue) => self.renew_queue(queue),
            O::Create(thread) => self.create(thread),
            O::Start(thread) => self.start(thread),
            O::Suspend(thread) => self.suspend(thread),
            O::Resume(thread) => self.resume(thread),
            O::SetPriority(thread, priority) => self.set_priority(thread, priority),
            O::CancelWait(thread) => self.cancel_wait(thread),
            _ => unreachable!("{operation:?} is not for every context"),
        }
    }

    fn give(&mut self, semaphore: usize) -> Answer {
        let what = Waits::Semaphore(semaphore);
        if let Some(waiter) = self.waiting(what).first() {
            self.serve(*waiter, what, DONE);
            return DONE;
        }
        let semaphore = &mut self.semaphores[semaphore];
        if semaphore.limit == 0 {
            return Err(Error::Deleted);
        }
        if semaphore.count == semaphore.limit {
            return Err(Error::Limit);
        }
        semaphore.count += 1;
        DONE
    }

    fn take(&mut self, me: usize, semaphore: usize, wait: Wait) -> Option<Answer> {
        if self.semaphores[semaphore].limit == 0 {
            return Some(Err(Error::Deleted));
        }
        if self.semaphores[semaphore].count > 0 {
            self.semaphores[semaphore].count -= 1;
            return Some(DONE);
        }
        self.wait_for(me, Waits::Semaphore(semaphore), wait)
    }

    fn wait_for(&mut self, me: usize, what: Waits, wait: Wait) -> Option<Answer> {
        if wait == Wait::None {
            return Some(Err(Error::WouldBlock));
        }
        self.block(me, what, wait)
    }

    fn wake_all(&mut self, what: Waits, answer: Answer) {
        for waiter in self.waiting(what) {
            self.serve(waiter, what, answer);
        }
    }

    fn delete_semaphore(&mut self, semaphore: usize) -> Answer {
        if self.semaphores[semaphore].limit == 0 {
            return Err(Error::Deleted);
        }
        self.semaphores[semaphore].limit = 0;
        self.semaphores[semaphore].count = 0;
        self.wake_all(Waits::Semaphore(semaphore), Err(Error::Deleted));
        DONE
    }

    fn renew_semaphore(&mut self, semaphore: usize, count: u32, limit: u32) -> Answer {
        let semaphore = &mut self.semaphores[semaphore];
        if limit == 0 || count > limit {
            return Err(Error::Parameter);
        }
        if semaphore.limit != 0 {
            return Err(Error::State);
        }
        semaphore.count = count;
        semaphore.limit = limit;
        DONE
    }

    /// Whether a number can be put without waiting.
    fn has_room(&self, queue: usize) -> bool {
        let waited_for = !self.waiting(Waits::ToGet(queue)).is_empty();
        let queue = &self.queues[queue];
        waited_for || (!queue.deleted && queue.messages.len() < ROOM)
    }

    fn put(&mut self, me: usize, queue: usize, number: usize, wait: Wait) -> Option<Answer> {
        let what = Waits::ToGet(queue);
        if let Some(waiter) = self.waiting(what).first() {
            self.serve(*waiter, what, word(number));
            return Some(DONE);
        }
        if self.queues[queue].deleted {
            return Some(Err(Error::Deleted));
        }
        if self.queues[queue].messages.len() < ROOM {
            self.queues[queue].messages.push_back(number);
            return Some(DONE);
        }
        if wait == Wait::None {
            return Some(Err(Error::WouldBlock));
        }
        self.threads[me].message = [number, 0];
        self.block(me, Waits::ToPut(queue), wait)
    }

    fn get(&mut self, me: usize, queue: usize, wait: Wait) -> Option<Answer> {
        if self.queues[queue].deleted {
            return Some(Err(Error::Deleted));
        }
        let Some(number) = self.queues[queue].messages.pop_front() else {
            return self.wait_for(me, Waits::ToGet(queue), wait);
        };
        if let Some(sender) = self.waiting(Waits::ToPut(queue)).first().copied() {
            let [next, _] = self.threads[sender].message;
            self.queues[queue].messages.push_back(next);
            self.wake(sender, DONE);
        }
        Some(word(number))
    }

    fn poll(&mut self, me: usize, set: usize, wait: Wait) -> Option<Answer> {
        for (number, what) in SETS[set].iter().enumerate() {
            let answer = match *what {
                Waits::Semaphore(semaphore) => self.take(me, semaphore, Wait::None),
                Waits::ToGet(queue) => self.get(me, queue, Wait::None),
                _ => unreachable!("{what:?} is in no set"),
            };
            if let Some(answer) = answer.filter(|answer| *answer != Err(Error::WouldBlock)) {
                return Some(Ok(polled(number, answer)));
            }
        }
        self.wait_for(me, Waits::Poll(set), wait)
    }

    fn delete_queue(&mut self, queue: usize) -> Answer {
        if self.queues[queue].deleted {
            return Err(Error::Deleted);
        }
        self.queues[queue].deleted = true;
        self.queues[queue].messages.clear();
        self.wake_all(Waits::ToGet(queue), Err(Error::Deleted));
        self.wake_all(Waits::ToPut(queue), Err(Error::Deleted));
        DONE
    }

    fn renew_queue(&mut self, queue: usize) -> Answer {
        if !self.queues[queue].deleted {
            return Err(Error::State);
        }
        self.queues[queue].deleted = false;
        DONE
    }

    fn create(&mut self, thread: usize) -> Answer {
        if self.threads[thread].life != Life::NonExistent {
            return Err(Error::State);
        }
        let created = self.count();
        let thread = &mut self.threads[thread];
        thread.life = Life::Dormant;
        thread.base = thread.first;
        thread.effective = thread.base;
        thread.created = created;
        DONE
    }

    pub fn start(&mut self, thread: usize) -> Answer {
        if self.threads[thread].life == Life::NonExistent {
            self.create(thread)?;
        }
        if self.threads[thread].life != Life::Dormant {
            return Err(Error::State);
        }
        self.threads[thread].life = Life::Started;
        self.threads[thread].order = self.last();
        DONE
    }

    fn suspend(&mut self, thread: usize) -> Answer {
        if self.threads[thread].life != Life::Started {
            return Err(Error::State);
        }
        self.threads[thread].suspended = true;
        DONE
    }

    fn resume(&mut self, thread: usize) -> Answer {
        if !self.threads[thread].suspended {
            return Err(Error::State);
        }
        self.threads[thread].suspended = false;
        if self.threads[thread].waits.is_none() {
            self.threads[thread].order = self.last();
        }
        DONE
    }

    fn set_priority(&mut self, thread: usize, priority: u8) -> Answer {
        if self.threads[thread].life == Life::NonExistent {
            return Err(Error::Deleted);
        }
        self.threads[thread].base = priority;
        self.settle(|_| Place::Last);
        DONE
    }

    fn cancel_wait(&mut self, thread: usize) -> Answer {
        if self.threads[thread].waits.is_none() {
            return Err(Error::State);
        }
        self.abort(thread, Error::Cancelled);
        DONE
    }

    fn join(&mut self, me: usize, thread: usize, wait: Wait) -> Option<Answer> {
        match self.threads[thread].life {
            Life::NonExistent => Some(Err(Error::Deleted)),
            Life::Dormant => Some(DONE),
            Life::Started if wait == Wait::None => Some(Err(Error::WouldBlock)),
            Life::Started if self.closes_ring(me, thread) => Some(Err(Error::Deadlock)),
            Life::Started => self.block(me, Waits::Join(thread), wait),
        }
    }

    fn delete(&mut self, thread: usize) -> Answer {
        if self.threads[thread].life == Life::NonExistent {
            return Err(Error::Deleted);
        }
        self.end(thread, Life::NonExistent);
        DONE
    }

    fn end(&mut self, thread: usize, after: Life) {
        self.threads[thread].waits = None;
        self.threads[thread].deadline = None;
        self.threads[thread].life = after;
        self.settle(|_| Place::First);
        while let Some(mutex) = self.threads[thread].owned.last().copied() {
            self.release(mutex, thread);
        }
        self.wake_those_who_wait_for(thread, after);
        let ended = &mut self.threads[thread];
        ended.suspended = false;
        ended.effective = ended.base;
        ended.busy = 0;
        ended.answer = None;
    }

    fn wake_those_who_wait_for(&mut self, thread: usize, after: Life) {
        let mut senders = self.waiting(Waits::Send(thread));
        senders.extend(self.waiting(Waits::Call(thread)));
        senders
            .sort_by_key(|sender| (self.threads[*sender].effective, self.threads[*sender].order));
        let mut joining = self.waiting(Waits::Join(thread));
        joining.sort_by_key(|joiner| self.threads[*joiner].order);
        let replying = self.waiting(Waits::Reply(thread));
        let mut receiving = self.waiting(Waits::ReceiveFrom(thread));
        receiving.sort_by_key(|receiver| std::cmp::Reverse(self.threads[*receiver].created));
        let joined = if after == Life::Dormant {
            DONE
        } else {
            Err(Error::Deleted)
        };
        for waiter in senders {
            self.wake(waiter, Err(Error::Deleted));
        }
        for joiner in joining {
            self.wake(joiner, joined);
        }
        for waiter in replying.into_iter().chain(receiving) {
            self.wake(waiter, Err(Error::Deleted));
        }
    }

    /// Returns whether `next`, which runs after `me` has done `operation`, continues the slice: it
    /// does if it got the message.
    fn goes_on(&self, me: usize, operation: &Operation, next: usize) -> bool {
        let waits = self.threads[me].waits;
        match *operation {
            Operation::Send(to, ..) => next == to && waits.is_none(),
            Operation::Call(to, ..) => next == to && waits == Some(Waits::Reply(to)),
            Operation::ReplyAndReceive(caller, ..) => next == caller,
            _ => false,
        }
    }
}
