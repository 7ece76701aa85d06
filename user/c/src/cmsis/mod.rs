//! The calls of CMSIS-RTOS2, a file for each group of the standard's.
//!
//! Each function does what the standard's page on it says (CMSIS-RTOS2 version 2.3, "RTOS2 API");
//! what is said here is what the standard leaves open. All have the names of `cmsis_os2.h`.

pub mod flags;
pub mod kernel;
pub mod memory_pool;
pub mod message_queue;
pub mod mutex;
pub mod semaphore;
pub mod status;
pub mod thread;
pub mod timer;

/// Defines functions of the interface. C calls each of them, and the bodies rely on its guarantees:
/// addresses are null or point to the object that the standard's page names, and stay valid while
/// the call lasts.
macro_rules! interface {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block)*) => {
        $(
            $(#[$attribute])*
            ///
            /// # Safety
            /// Addresses are null or lead to what the standard says of them.
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, reason = "the standard's names")]
            pub unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? $body
        )*
    };
}
pub(crate) use interface;

/// Defines `osXxxGetName` for a kind of objects.
macro_rules! get_name {
    ($name:ident, $object:ty) => {
        crate::cmsis::interface! {
            /// The name that the object was given; null for what is none.
            fn $name(id: crate::object::Id) -> *const core::ffi::c_char {
                // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
                match unsafe { id.get::<$object>() } {
                    Some(object) => crate::object::Object::head(object).name(),
                    None => core::ptr::null(),
                }
            }
        }
    };
}
pub(crate) use get_name;

/// Sizes that `cmsis_os2.h` declares: each has space for its object, at whatever address it begins.
const _: () = {
    use crate::object::Object;
    const fn fits<O: Object>(on_32_bits: usize, on_64_bits: usize) -> bool {
        let (word, told) = if size_of::<usize>() == 4 {
            (4, on_32_bits)
        } else {
            (8, on_64_bits)
        };
        size_of::<O>() + align_of::<O>().saturating_sub(word) <= told
    }
    // On Armv7-M a thread's address is a multiple of twice its guard's size. If the library is
    // built for a guard larger than the usual one, threads have their place in the heap.
    assert!(match align_of::<thread::OsThread>() {
        512 => fits::<thread::OsThread>(1536, 640),
        large if large > 512 => true,
        _ => fits::<thread::OsThread>(384, 640),
    });
    assert!(fits::<timer::OsTimer>(136, 192));
    assert!(fits::<flags::OsEventFlags>(36, 56));
    assert!(fits::<mutex::OsMutex>(52, 72));
    assert!(fits::<semaphore::OsSemaphore>(36, 56));
    assert!(fits::<memory_pool::OsMemoryPool>(64, 104));
    assert!(fits::<message_queue::OsMessageQueue>(72, 120));
};
