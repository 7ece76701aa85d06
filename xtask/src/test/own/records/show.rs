
/// Writes what a probe would fetch: the first record, a byte each.
fn show() {
    unsafe extern "C" {
        static _SEGGER_RTT: [u8; 48];
    }
    // SAFETY: the control block: its name, two counts, then of the first ring a name, where it is,
    // its size, and how much is written.
    unsafe {
        let ring = (&raw const _SEGGER_RTT).byte_add(24).cast::<usize>();
        let bytes = *ring.add(1) as *const u8;
        let written = *ring.add(2).cast::<u32>().add(1) as usize;
        let record = core::slice::from_raw_parts(bytes, written);
        taktos::println!("{}: {record:?}", core::str::from_utf8(&_SEGGER_RTT[..10]).unwrap_or(""));
    }
}
