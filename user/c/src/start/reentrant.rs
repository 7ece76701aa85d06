//! Owns: what newlib's functions share, kept apart: threads take turns at its `malloc`, at its
//! streams and at its conversions, and the error that these note in a structure (`struct _reent`)
//! which all threads have in common becomes the caller's; what others keep between calls is kept
//! for each thread. Must never know: what the program does with it.
//!
//! The structure begins with the error, and conversions of integers look at nothing else of it:
//! they get the thread's `errno` instead of one. Those of floating-point values keep their large
//! numbers in it, too, also where they print. A linker has the program's calls come here
//! (`--wrap`).

use super::kept::Kept;
use crate::os::masked;
use crate::posix::errno::{Errno, place};
use crate::turn::Turn;
use core::cell::Cell;
use core::ffi::{c_char, c_int, c_long, c_longlong, c_ulong, c_ulonglong, c_void};
use core::hint::black_box;
use core::mem::replace;

/// Turn of the thread that calls newlib.
static TURN: Turn = Turn::new();

/// Locks `malloc`'s memory: newlib calls this before it reads that memory.
#[unsafe(no_mangle)]
extern "C" fn __malloc_lock(_: *mut c_void) {
    TURN.take();
}

/// And afterwards.
#[unsafe(no_mangle)]
extern "C" fn __malloc_unlock(_: *mut c_void) {
    TURN.end();
}

unsafe extern "C" {
    /// The structure that all have in common, of which this is the beginning.
    static _impure_ptr: *mut c_int;
}

/// Does `convert` while no other thread converts, and reports its error to the calling thread.
fn converted<T>(convert: impl FnOnce() -> T) -> T {
    TURN.take();
    // SAFETY: the error in newlib's structure, which is this thread's as long as its turn.
    let error = unsafe { &mut *_impure_ptr };
    let before = replace(error, 0);
    let result = convert();
    // SAFETY: as above; the conversion wrote there.
    let found = replace(unsafe { &mut *_impure_ptr }, before);
    TURN.end();
    if found != 0 {
        Errno(found).set();
    }
    result
}

/// Conversions of integers: their name with `--wrap`, newlib's that takes the structure, and what
/// they give.
macro_rules! integers {
    ($($wrapped:ident = $own:ident -> $value:ty;)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $wrapped(text: *const c_char, end: *mut *mut c_char, base: c_int) -> $value {
                unsafe extern "C" {
                    fn $own(error: *mut c_int, text: *const c_char, end: *mut *mut c_char, base: c_int) -> $value;
                }
                // SAFETY: the caller guarantees that `text` and `end` are as C's standard requires.
                // The conversion uses only the error of the structure.
                unsafe { $own(place(), text, end, base) }
            }
        )*
    };
}

integers! {
    __wrap_strtol = _strtol_r -> c_long;
    __wrap_strtoul = _strtoul_r -> c_ulong;
    __wrap_strtoll = _strtoll_r -> c_longlong;
    __wrap_strtoull = _strtoull_r -> c_ulonglong;
    __wrap_strtoimax = _strtoimax_r -> c_longlong;
    __wrap_strtoumax = _strtoumax_r -> c_ulonglong;
}

/// `long double`: as wide as `double` on 32 bits. Elsewhere it is of two words, which come in the
/// registers in which those of a number without a fraction do.
#[cfg(target_arch = "arm")]
type LongDouble = f64;
#[cfg(not(target_arch = "arm"))]
type LongDouble = u128;

/// Conversions of floating-point values: their name with `--wrap`, newlib's then, and what they
/// give.
macro_rules! floats {
    ($($wrapped:ident = $own:ident -> $value:ty;)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $wrapped(text: *const c_char, end: *mut *mut c_char) -> $value {
                unsafe extern "C" {
                    fn $own(text: *const c_char, end: *mut *mut c_char) -> $value;
                }
                // SAFETY: the caller guarantees that `text` and `end` are as C's standard requires.
                converted(|| unsafe { $own(text, end) })
            }
        )*
    };
}

floats! {
    __wrap_strtod = __real_strtod -> f64;
    __wrap_strtof = __real_strtof -> f32;
    __wrap_strtold = __real_strtold -> LongDouble;
}

/// Function that writes newlib's buffers, once a function of streams was called: an image without
/// those has nothing of it.
struct Flush(Cell<Option<fn()>>);

// SAFETY: it is reached only while all that may call is masked.
unsafe impl Sync for Flush {}

static FLUSH: Flush = Flush(Cell::new(None));

/// Writes what newlib keeps of what was printed.
pub fn write_out() {
    if let Some(flush) = masked(|| FLUSH.0.get()) {
        flush();
    }
}

fn flush_all() {
    unsafe extern "C" {
        #[link_name = "__real_fflush"]
        fn flush(stream: usize) -> usize;
    }
    // SAFETY: of all streams, as null says.
    converted(|| unsafe { flush(0) });
}

/// Calls a function of streams in the caller's turn.
fn streamed(call: impl FnOnce() -> usize) -> usize {
    // The compiler does not see which function it is: it would call the only one there is, and an
    // image without newlib would not link.
    masked(|| FLUSH.0.set(Some(black_box(flush_all))));
    converted(call)
}

/// Functions that threads call in turn: their names with `--wrap`, then newlib's, and their
/// arguments, which may have any types here.
macro_rules! in_turn {
    ($how:ident: $($wrapped:ident = $own:ident($($word:ident),*);)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $wrapped($($word: usize),*) -> usize {
                unsafe extern "C" {
                    fn $own($($word: usize),*) -> usize;
                }
                // SAFETY: the caller guarantees that the arguments are as C's standard requires.
                $how(|| unsafe { $own($($word),*) })
            }
        )*
    };
}

in_turn! { streamed:
    __wrap_fopen = __real_fopen(name, mode);
    __wrap_freopen = __real_freopen(name, mode, stream);
    __wrap_fclose = __real_fclose(stream);
    __wrap_fflush = __real_fflush(stream);
    __wrap_setvbuf = __real_setvbuf(stream, buffer, mode, size);
    __wrap_setbuf = __real_setbuf(stream, buffer);
    __wrap_fseek = __real_fseek(stream, offset, from);
    __wrap_ftell = __real_ftell(stream);
    __wrap_rewind = __real_rewind(stream);
    __wrap_fread = __real_fread(place, size, count, stream);
    __wrap_fwrite = __real_fwrite(place, size, count, stream);
    __wrap_fgetc = __real_fgetc(stream);
    __wrap_getc = __real_getc(stream);
    __wrap_getchar = __real_getchar();
    __wrap_ungetc = __real_ungetc(letter, stream);
    __wrap_fgets = __real_fgets(place, size, stream);
    __wrap_fputc = __real_fputc(letter, stream);
    __wrap_putc = __real_putc(letter, stream);
    __wrap_putchar = __real_putchar(letter);
    __wrap_fputs = __real_fputs(text, stream);
    __wrap_puts = __real_puts(text);
    __wrap_perror = __real_perror(text);
    __wrap_vprintf = __real_vprintf(format, words);
    __wrap_viprintf = __real_viprintf(format, words);
    __wrap_vfprintf = __real_vfprintf(stream, format, words);
    __wrap_vfiprintf = __real_vfiprintf(stream, format, words);
    __wrap_vscanf = __real_vscanf(format, words);
    __wrap_vfscanf = __real_vfscanf(stream, format, words);
}

in_turn! { converted:
    __wrap_vsprintf = __real_vsprintf(place, format, words);
    __wrap_vsiprintf = __real_vsiprintf(place, format, words);
    __wrap_vsnprintf = __real_vsnprintf(place, size, format, words);
    __wrap_vsniprintf = __real_vsniprintf(place, size, format, words);
    __wrap_vsscanf = __real_vsscanf(text, format, words);
    __wrap_setlocale = __real_setlocale(category, name);
}

/// A function of this name that the program has itself is called in the place of the library's: the
/// name is weak, so it is that of newlib's function only where something else takes that. Uses r12,
/// as any linker may between two functions.
#[cfg(target_arch = "arm")]
macro_rules! program_first {
    ($own:ident) => {
        concat!(
            ".weak ",
            stringify!($own),
            "\nmovw r12, #:lower16:",
            stringify!($own),
            "\nmovt r12, #:upper16:",
            stringify!($own),
            "\ncmp r12, #0\nit ne\nbxne r12"
        )
    };
}

/// On RISC-V the address is read from a word, since 0 is too far from the code; uses t0.
#[cfg(target_arch = "riscv64")]
macro_rules! program_first {
    ($own:ident) => {
        concat!(
            ".weak ",
            stringify!($own),
            "\n.pushsection .rodata, \"a\"\n.balign 8\ntaktos",
            stringify!($own),
            ": .dword ",
            stringify!($own),
            "\n.popsection\nlla t0, taktos",
            stringify!($own),
            "\nld t0, 0(t0)\nbeqz t0, 1f\njr t0\n1:"
        )
    };
}

/// Goes on in a function.
#[cfg(target_arch = "arm")]
macro_rules! jump {
    () => {
        "b {function}"
    };
}

#[cfg(target_arch = "riscv64")]
macro_rules! jump {
    () => {
        "tail {function}"
    };
}

/// Functions without another form at newlib's: their name with `--wrap`, and what is called where
/// the program has none.
macro_rules! of_threads {
    ($($wrapped:ident, $own:ident = $function:ident;)*) => {
        $(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $wrapped() {
                core::arch::naked_asm!(program_first!($own), jump!(), function = sym $function);
            }
        )*
    };
}

of_threads! {
    __wrap_strtok, __real_strtok = strtok;
    __wrap_srand, __real_srand = srand;
    __wrap_rand, __real_rand = rand;
}

/// Functions with any number of words: their name with `--wrap`, how many words come first, and the
/// function that gets the place of the others after those. The words are in registers and after
/// them on the stack. Once the registers are stored, all words are adjacent: a `va_list` is their
/// address (Procedure Call Standard for the Arm Architecture, 8.1.4; RISC-V Calling Conventions,
/// "Variadic arguments").
macro_rules! any_words {
    ($($wrapped:ident, $own:ident = $first:literal, $function:ident;)*) => {
        $(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $wrapped() {
                core::arch::naked_asm!(program_first!($own), with_place!($first), function = sym $function);
            }
        )*
    };
}

#[cfg(target_arch = "arm")]
macro_rules! with_place {
    ($first:literal) => {
        concat!(
            "push {{r0, r1, r2, r3}}\npush {{r4, lr}}\nadd r",
            $first,
            ", sp, #(8 + 4 * ",
            $first,
            ")\nbl {function}\npop {{r4, lr}}\nadd sp, sp, #16\nbx lr"
        )
    };
}

/// Twice a word stays at a multiple of twice a word.
#[cfg(target_arch = "riscv64")]
macro_rules! with_place {
    ($first:literal) => {
        concat!(
            "addi sp, sp, -80\nsd ra, 0(sp)\nsd a0, 16(sp)\nsd a1, 24(sp)\nsd a2, 32(sp)
            sd a3, 40(sp)\nsd a4, 48(sp)\nsd a5, 56(sp)\nsd a6, 64(sp)\nsd a7, 72(sp)\naddi a",
            $first,
            ", sp, 16 + 8 * ",
            $first,
            "\ncall {function}\nld ra, 0(sp)\naddi sp, sp, 80\nret"
        )
    };
}

any_words! {
    __wrap_printf, __real_printf = "1", __wrap_vprintf;
    __wrap_iprintf, __real_iprintf = "1", __wrap_viprintf;
    __wrap_fprintf, __real_fprintf = "2", __wrap_vfprintf;
    __wrap_fiprintf, __real_fiprintf = "2", __wrap_vfiprintf;
    __wrap_sprintf, __real_sprintf = "2", __wrap_vsprintf;
    __wrap_siprintf, __real_siprintf = "2", __wrap_vsiprintf;
    __wrap_snprintf, __real_snprintf = "3", __wrap_vsnprintf;
    __wrap_sniprintf, __real_sniprintf = "3", __wrap_vsniprintf;
    __wrap_scanf, __real_scanf = "1", __wrap_vscanf;
    __wrap_fscanf, __real_fscanf = "2", __wrap_vfscanf;
    __wrap_sscanf, __real_sscanf = "2", __wrap_vsscanf;
}

/// `strtok`, which continues where the same thread was.
///
/// # Safety
/// As C's standard has it.
unsafe extern "C" fn strtok(text: *mut c_char, ends: *const c_char) -> *mut c_char {
    unsafe extern "C" {
        fn strtok_r(text: *mut c_char, ends: *const c_char, place: *mut *mut c_char)
        -> *mut c_char;
    }
    // SAFETY: the caller guarantees that `text` and `ends` are as C's standard requires. The place
    // is this thread's.
    unsafe { strtok_r(text, ends, Kept::current().token.as_ptr()) }
}

/// `srand`, for the calling thread.
extern "C" fn srand(seed: u32) {
    Kept::current().random.set(seed.into());
}

/// `rand`: the same numbers as newlib's, a row for each thread: Knuth's generator for the MMIX (The
/// Art of Computer Programming, volume 2, third edition, 3.3.4, table 1), of which it returns the
/// upper half.
extern "C" fn rand() -> c_int {
    let random = &Kept::current().random;
    let next = random
        .get()
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    random.set(next);
    (next >> 32) as c_int & c_int::MAX
}

/// A time, in seconds since 1970.
type Seconds = i64;

/// `localtime` and `gmtime`: the result is the calling thread's until it calls either again.
macro_rules! times {
    ($($wrapped:ident = $own:ident;)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $wrapped(time: *const Seconds) -> *mut c_int {
                unsafe extern "C" {
                    fn $own(time: *const Seconds, place: *mut c_int) -> *mut c_int;
                }
                let place = Kept::current().time.get().cast();
                // SAFETY: the caller guarantees that `time` is valid. The place is this thread's,
                // and has space for the result.
                converted(|| unsafe { $own(time, place) })
            }
        )*
    };
}

times! {
    __wrap_localtime = localtime_r;
    __wrap_gmtime = gmtime_r;
}

/// `asctime`: the text is the calling thread's until it calls this or `ctime` again.
///
/// # Safety
/// As C's standard has it.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_asctime(time: *const c_int) -> *mut c_char {
    unsafe extern "C" {
        fn asctime_r(time: *const c_int, place: *mut c_char) -> *mut c_char;
    }
    let place = Kept::current().text.get().cast();
    // SAFETY: the caller guarantees that `time` is valid. The place is this thread's, and has space
    // for the result.
    converted(|| unsafe { asctime_r(time, place) })
}

/// `ctime`.
///
/// # Safety
/// As C's standard has it.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_ctime(time: *const Seconds) -> *mut c_char {
    // SAFETY: the caller guarantees that `time` is valid.
    unsafe { __wrap_asctime(__wrap_localtime(time)) }
}
