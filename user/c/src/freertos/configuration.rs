//! Owns: the settings of a program's `FreeRTOSConfig.h`, and the functions of the program that are
//! called automatically (FreeRTOS's hooks). Must never know: what those functions do.

use core::ffi::c_char;

use crate::object::Id;

/// The settings that `FreeRTOS.h` lays down for the whole program (`struct
/// taktos_freertos_configuration`): each file of the program that reads the header defines them
/// weakly, and the linker keeps one. Functions are null where the program's settings say that there
/// are none.
#[repr(C)]
pub struct Configuration {
    /// Called at each tick, by a thread above all tasks: `vApplicationTickHook`.
    pub tick: Option<extern "C" fn()>,
    /// Called again and again while no task runs: `vApplicationIdleHook`.
    pub idle: Option<extern "C" fn()>,
    /// Called if the heap has no space for a request: `vApplicationMallocFailedHook`.
    pub malloc_failed: Option<extern "C" fn()>,
    /// Called after the report of a stack overflow, in a fault's handler:
    /// `vApplicationStackOverflowHook`.
    pub stack_overflow: Option<extern "C" fn(Id, *const c_char)>,
    /// Called once by the timers' task when it begins: `vApplicationDaemonTaskStartupHook`.
    pub daemon_startup: Option<extern "C" fn()>,
    /// The bytes of the stacks on which the first two are called.
    pub hook_stack: u32,
    /// FreeRTOS's priority of the timers' task.
    pub timer_priority: u32,
    /// How many commands to timers there may be before the scheduler starts.
    pub timer_queue_length: u32,
}

/// Configuration of a program without `FreeRTOS.h`; [`configuration`] finds it if no other code has
/// defined one.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
static TAKTOS_FREERTOS_DEFAULT: Configuration = Configuration {
    tick: None,
    idle: None,
    malloc_failed: None,
    stack_overflow: None,
    daemon_startup: None,
    hook_stack: 0,
    timer_priority: 39,
    timer_queue_length: u32::MAX,
};

#[cfg(target_os = "none")]
core::arch::global_asm!(
    ".weak taktos_freertos_configuration",
    ".set taktos_freertos_configuration, TAKTOS_FREERTOS_DEFAULT",
);

/// The program's.
#[cfg(target_os = "none")]
pub fn configuration() -> &'static Configuration {
    unsafe extern "C" {
        #[link_name = "taktos_freertos_configuration"]
        static OF_PROGRAM: Configuration;
    }
    // SAFETY: a constant of the program's, as the header has it, or the one above.
    unsafe { &OF_PROGRAM }
}

/// On the host there are no programs in C.
#[cfg(not(target_os = "none"))]
pub fn configuration() -> &'static Configuration {
    &TAKTOS_FREERTOS_DEFAULT
}
