//! Owns: the words that the emulator hands a program (`-semihosting-config enable=on,target=native,arg=NAME,arg=WORD`).

use core::arch::asm;

/// The most bytes of all words.
const MOST: usize = 2560;

/// Calls `act` with each word behind the program's name; with none where the emulator does not tell them, or where they are
/// more than 2560 bytes. Needs a stack of four kilobytes.
pub fn each_argument(mut act: impl FnMut(&str)) {
    let mut line = [0u8; MOST];
    let length = command_line(&mut line).unwrap_or(0);
    let words = line
        .get(..length)
        .and_then(|line| core::str::from_utf8(line).ok());
    let words = words.unwrap_or("").trim_end_matches('\0');
    words.split(' ').skip(1).for_each(&mut act);
}

/// Reads the command line into `buffer`, and says how long it is; none where the emulator does not tell it, or it does not fit. Semihosting's call (Arm, "Semihosting for AArch32 and AArch64", 2.0, SYS_GET_CMDLINE).
pub(crate) fn command_line(buffer: &mut [u8]) -> Option<usize> {
    const GET_COMMAND_LINE: u64 = 0x15;
    let mut block = [buffer.as_mut_ptr().addr(), buffer.len()];
    let failed: u64;
    // SAFETY: the debugger writes into the buffer, and its length into the block.
    unsafe {
        asm!(
            "hlt #0xF000",
            inout("x0") GET_COMMAND_LINE => failed,
            in("x1") block.as_mut_ptr(),
            options(nostack),
        );
    }
    (failed == 0).then_some(block[1])
}
