//! Owns: the instruction by which a call is made. Must never know: what the calls are.
#![cfg_attr(
    any(
        all(target_arch = "arm", target_has_atomic = "32", target_os = "none"),
        all(target_arch = "aarch64", target_os = "none"),
        all(target_arch = "riscv64", target_os = "none")
    ),
    expect(unsafe_code, reason = "the instruction of a call")
)]

use taktos_abi::{Error, Status, Timeout};

/// A call.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Its number.
    pub number: usize,
    /// The handle, or a word where the call takes none.
    pub handle: usize,
    /// Two words.
    pub words: [usize; 2],
    /// How long it may wait.
    pub timeout: Timeout,
}

/// Result of a call.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Whether the call succeeded.
    pub status: Status,
    /// Words of the result: those that the call does not return are undefined.
    pub words: [usize; 3],
}

impl Answer {
    /// The answer of a call that brings nothing.
    #[inline(always)]
    pub(crate) fn done(self) -> Result<(), Error> {
        self.status.result()
    }

    /// The answer of a call that brings a word.
    #[inline(always)]
    pub(crate) fn word(self) -> Result<usize, Error> {
        self.done().map(|()| self.words[0])
    }

    /// The answer of a call that brings a message.
    #[inline(always)]
    pub(crate) fn message(self) -> Result<[usize; 2], Error> {
        self.done().map(|()| [self.words[0], self.words[1]])
    }

    /// The answer of a call that brings a message and a sender.
    #[inline(always)]
    pub(crate) fn received(self) -> Result<crate::Received, Error> {
        let [first, second, sender] = self.words;
        self.done().map(|()| crate::Received {
            sender: crate::Sender(sender),
            message: [first, second],
        })
    }
}

/// Makes a call. Of the architectures named so, the one that has no atomic words of 64 bits is the
/// microcontrollers': the other one keeps two registers more.
#[cfg(all(target_arch = "arm", target_has_atomic = "32", target_os = "none"))]
#[inline(always)]
pub fn call(request: Request) -> Answer {
    let [first, second] = request.words;
    let bits = request.timeout.bits();
    let (status, one, two, three);
    // SAFETY: the kernel changes the registers named here alone, and of the memory what the request
    // names.
    unsafe {
        core::arch::asm!(
            "svc #1",
            inlateout("r0") request.handle => status,
            inlateout("r1") first => one,
            inlateout("r2") bits as u32 => two,
            inlateout("r3") (bits >> 32) as u32 => three,
            inlateout("r5") second => _,
            inlateout("r12") request.number => _,
            out("r4") _, out("r8") _, out("r9") _,
            #[cfg(not(target_has_atomic = "64"))]
            out("r10") _,
            #[cfg(not(target_has_atomic = "64"))]
            out("r11") _,
        );
    }
    Answer {
        status: Status::from_word(status),
        words: [one, two, three],
    }
}

/// Makes a call.
#[cfg(all(target_arch = "aarch64", target_os = "none"))]
#[inline(always)]
pub fn call(request: Request) -> Answer {
    let [first, second] = request.words;
    let (status, one, two, three);
    // SAFETY: the kernel changes the registers named here alone, and of the memory what the request
    // names.
    unsafe {
        core::arch::asm!(
            "svc #0",
            inlateout("x0") request.handle => status,
            inlateout("x1") first => one,
            inlateout("x2") request.timeout.bits() => two,
            inlateout("x3") second => three,
            inlateout("x8") request.number => _,
            out("x20") _, out("x21") _, out("x22") _, out("x23") _, out("x24") _,
            out("x25") _, out("x26") _, out("x27") _, out("x28") _,
            clobber_abi("C"),
        );
    }
    Answer {
        status: Status::from_word(status),
        words: [one, two, three],
    }
}

/// Makes a call.
#[cfg(all(target_arch = "riscv64", target_os = "none"))]
#[inline(always)]
pub fn call(request: Request) -> Answer {
    let [first, second] = request.words;
    let (status, one, two, three);
    // SAFETY: the kernel changes the registers named here alone, and of the memory what the request
    // names.
    unsafe {
        core::arch::asm!(
            "ecall",
            inlateout("a0") request.handle => status,
            inlateout("a1") first => one,
            inlateout("a2") request.timeout.bits() => two,
            inlateout("a3") second => three,
            inlateout("a7") request.number => _,
            out("s2") _, out("s3") _, out("s4") _, out("s5") _, out("s6") _,
            out("s7") _, out("s8") _, out("s9") _, out("s10") _, out("s11") _,
            clobber_abi("C"),
        );
    }
    Answer {
        status: Status::from_word(status),
        words: [one, two, three],
    }
}

/// Makes a call: there is none on this machine, which has no partitions, as Armv6-M.
#[cfg(not(any(
    all(target_arch = "arm", target_has_atomic = "32", target_os = "none"),
    all(target_arch = "aarch64", target_os = "none"),
    all(target_arch = "riscv64", target_os = "none")
)))]
pub fn call(request: Request) -> Answer {
    let _ = request;
    Answer {
        status: Status::failed(Error::Context),
        words: [0; 3],
    }
}
