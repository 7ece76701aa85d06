//! Owns: how a call finds its object: the comparison of a handle with what the call needs, and the
//! whole way from registers to an answer for machines with an entry that has no path of its own.
//! Must never know: the effects of calls.
#![expect(unsafe_code, reason = "registers of a thread that is inside a call")]

use super::calls::{COUNT, Row, generation_of, table};
use super::thread::Member;
use super::{AnyPartition, Handle};
use crate::critical_section::{CriticalSection, Operation};
use crate::sched::{OutcomeOf, fail, hold};
use crate::thread::tcb::ThreadRef;
use crate::{AnyThread, Error, System, Timeout};
use core::marker::PhantomData;
use core::ptr;
use taktos_abi::call::{KEEPS_SLICE, handle, kind};
use taktos_machine::Isolation;

/// The registers of a call.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// Its number.
    pub number: usize,
    /// The handle.
    pub handle: usize,
    /// Two words.
    pub words: [usize; 2],
    /// The time-out.
    pub timeout: Timeout,
}

/// The object that `word` names for a call that needs as much. Errors: `Parameter` where the table
/// has no such handle, it does not allow that, or a generation is said of what has none; `Deleted`
/// where that is not the present one.
pub(super) fn object<S: System<Machine: Isolation>>(
    cs: CriticalSection<'_>,
    table: &[Handle<S>],
    word: usize,
    needs: u32,
) -> Result<*const (), Error> {
    let generation = word >> handle::GENERATION;
    let found = table
        .get(word & handle::PLACE)
        .filter(|handle| needs & !handle.allows() == 0)
        .ok_or(Error::Parameter)?;
    if generation == 0 {
        return Ok(found.object());
    }
    if found.allows() & kind::MEMBER == 0 {
        return Err(Error::Parameter);
    }
    // SAFETY: what the handle says.
    let member = unsafe { Member::<S>::at(found.object()) };
    match generation_of(cs, member) {
        Some(present) if usize::from(present) == generation => Ok(found.object()),
        _ => Err(Error::Deleted),
    }
}

/// The object of a handle that is not simply a place in the table, for a machine's entry: 0 and an
/// [`Error`]'s number where there is none.
///
/// # Safety
/// In a section of the kernel's, for a thread of `partition`, which runs.
pub unsafe fn object_of<S: System<Machine: Isolation>>(
    partition: &AnyPartition<S>,
    word: usize,
    needs: u32,
) -> (*const (), usize) {
    // SAFETY: the caller's contract.
    let cs = unsafe { CriticalSection::assume() };
    match object(cs, partition.table(), word, needs) {
        Ok(object) => (object, 0),
        Err(error) => (ptr::null(), error as usize),
    }
}

/// Makes a call for the thread that calls this, as one of `partition`: what it answers is the
/// status and three words. For tests of what a partition may do on machines that keep nothing
/// apart.
pub fn call_as<S: System<Machine: Isolation>>(
    partition: &'static AnyPartition<S>,
    registers: &Registers,
) -> [usize; 4] {
    let place = ptr::from_ref(registers).expose_provenance();
    let answer = hold::<S>().enter::<Dispatch<S>>(partition, place, registers.timeout);
    let current = AnyThread::<S>::current().reference();
    AnyThread::<S>::clear_own_error();
    let held = hold::<S>();
    let cs = held.section();
    let sender = current.group.get(cs).map_or(0, ThreadRef::address);
    [
        answer.status.word(),
        answer.value,
        current.argument.get(cs),
        sender,
    ]
}

struct Dispatch<S>(PhantomData<S>);

impl<S: System<Machine: Isolation>> Dispatch<S> {
    const TABLE: [Row<S>; COUNT] = table();
}

impl<S: System<Machine: Isolation>> Operation<S> for Dispatch<S> {
    type Object = AnyPartition<S>;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        partition: &'static AnyPartition<S>,
        place: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        // SAFETY: `call_as` alone enters this, with what its caller lends until it is back.
        let registers = unsafe { &*ptr::with_exposed_provenance::<Registers>(place) };
        let Some(row) = Self::TABLE.get(registers.number) else {
            return fail::<S>(Error::Parameter);
        };
        let object = match row.needs() & !KEEPS_SLICE {
            0 => Ok(ptr::without_provenance(registers.handle)),
            needs => object(cs, partition.table(), registers.handle, needs),
        };
        match object {
            // SAFETY: in a section, for the running thread; the object is what the handle allows.
            Ok(object) => unsafe { row.run(object, registers.words, timeout) },
            Err(error) => fail::<S>(error),
        }
    }
}

/// Ends the thread of a partition that runs and has faulted. Returns the thread that runs next.
///
/// # Safety
/// In the handler of the fault, which keeps out interrupts that may call the kernel; the thread
/// that runs is one of a partition.
pub unsafe fn faulted<S: System<Machine: Isolation>>(
    fault: &taktos_machine::RaisedFault<'_>,
) -> *const taktos_machine::Context {
    // SAFETY: the caller's contract.
    super::supervisor::end_faulted::<S>(unsafe { CriticalSection::assume() }, fault)
}
