//! Owns: messages from thread to thread in the model, under the sound rule.

use super::answer::{Answer, DONE, Value};
use super::kernel::{Kernel, Place};
use super::operation::Wait;
use super::thread::{Life, Waits};
use taktos_kernel::Error;

impl Kernel {
    pub fn send(&mut self, me: usize, to: usize, word: usize, wait: Wait) -> Option<Answer> {
        if self.receives_from(to, me) {
            let equals = self.threads[me].effective == self.threads[to].effective;
            self.deliver(me, to, [word, me]);
            if equals && self.threads[to].is_ready() {
                self.threads[to].order = self.first();
                self.threads[me].order = self.last();
            }
            return Some(DONE);
        }
        if let Some(error) = self.refusal(me, to, wait) {
            return Some(Err(error));
        }
        self.threads[me].message = [word, me];
        self.block(me, Waits::Send(to), wait)
    }

    pub fn call(&mut self, me: usize, to: usize, word: usize, wait: Wait) -> Option<Answer> {
        if !self.receives_from(to, me) {
            if let Some(error) = self.refusal(me, to, wait) {
                return Some(Err(error));
            }
            self.threads[me].message = [word, me];
            return self.block(me, Waits::Call(to), wait);
        }
        if wait == Wait::None {
            return Some(Err(Error::WouldBlock));
        }
        self.deliver(me, to, [word, me]);
        // The server has the caller's turn, among the caller's equals if it is less urgent itself.
        self.block(me, Waits::Reply(to), wait);
        self.threads[to].order = self.first();
        None
    }

    pub fn receive_from(&mut self, me: usize, from: usize, wait: Wait) -> Option<Answer> {
        let waits = self.threads[from].waits;
        if waits == Some(Waits::Send(me)) || waits == Some(Waits::Call(me)) {
            let Value { word, second, .. } = self.accept(me, from);
            return Some(Ok(Value {
                word,
                second,
                ..Value::default()
            }));
        }
        if let Some(error) = self.refusal(me, from, wait) {
            return Some(Err(error));
        }
        self.block(me, Waits::ReceiveFrom(from), wait)
    }

    pub fn receive(&mut self, me: usize, wait: Wait) -> Option<Answer> {
        let mut senders = self.waiting(Waits::Send(me));
        senders.extend(self.waiting(Waits::Call(me)));
        senders
            .sort_by_key(|sender| (self.threads[*sender].effective, self.threads[*sender].order));
        if let Some(sender) = senders.first() {
            return Some(Ok(self.accept(me, *sender)));
        }
        if wait == Wait::None {
            return Some(Err(Error::WouldBlock));
        }
        self.block(me, Waits::Receive, wait)
    }

    pub fn reply(&mut self, me: usize, caller: usize, word: usize) -> Answer {
        self.give_reply(me, caller, word)?;
        self.threads[me].order = self.first();
        self.settle(|_| Place::First);
        DONE
    }

    pub fn reply_and_receive(
        &mut self,
        me: usize,
        caller: usize,
        word: usize,
        wait: Wait,
    ) -> Option<Answer> {
        if let Err(error) = self.give_reply(me, caller, word) {
            return Some(Err(error));
        }
        self.settle(|_| Place::First);
        self.receive(me, wait)
    }

    /// The caller continues in front of its equals.
    fn give_reply(&mut self, me: usize, caller: usize, word: usize) -> Result<(), Error> {
        if self.threads[caller].waits != Some(Waits::Reply(me)) {
            return Err(Error::State);
        }
        self.wake(
            caller,
            Ok(Value {
                word,
                second: me,
                ..Value::default()
            }),
        );
        self.threads[caller].order = self.first();
        Ok(())
    }

    fn receives_from(&self, receiver: usize, sender: usize) -> bool {
        matches!(self.threads[receiver].waits, Some(Waits::Receive))
            || self.threads[receiver].waits == Some(Waits::ReceiveFrom(sender))
    }

    /// Wakes `to`, which waits for it, with the message.
    fn deliver(&mut self, me: usize, to: usize, [word, second]: [usize; 2]) {
        let any = self.threads[to].waits == Some(Waits::Receive);
        let value = Value {
            word,
            second,
            sender: any.then_some(me),
            wants_reply: false,
        };
        self.wake(to, Ok(value));
    }

    /// Takes the message of `sender`, which waits to be rid of it.
    fn accept(&mut self, me: usize, sender: usize) -> Value {
        let [word, second] = self.threads[sender].message;
        if self.threads[sender].waits == Some(Waits::Call(me)) {
            self.threads[sender].waits = Some(Waits::Reply(me));
            self.threads[sender].order = self.last();
        } else {
            self.wake(sender, DONE);
            self.settle(|_| Place::First);
        }
        Value {
            word,
            second,
            sender: Some(sender),
            wants_reply: false,
        }
    }

    fn refusal(&self, me: usize, other: usize, wait: Wait) -> Option<Error> {
        if self.threads[other].life != Life::Started {
            Some(Error::Deleted)
        } else if wait == Wait::None {
            Some(Error::WouldBlock)
        } else if self.closes_ring(me, other) {
            Some(Error::Deadlock)
        } else {
            None
        }
    }
}
