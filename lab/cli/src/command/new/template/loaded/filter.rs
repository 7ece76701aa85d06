//! Sums the samples that it receives, without privilege: it can access its own memory, and the
//! objects of its partition's handles.
#![cfg_attr(target_os = "none", no_std, no_main)]

use taktos_user::{Timeout, receive};

taktos_user::entry!(begin);

/// Runs each thread of the partition, with its number and the argument that it is started with.
fn begin(_thread: usize, _argument: usize) -> ! {
    let mut sum = 0;
    loop {
        if let Ok(received) = receive(Timeout::FOREVER) {
            let [sample, _] = received.message;
            sum = with(sum, sample);
            let _ = received.sender.reply([sum, 0]);
        }
    }
}

/// Returns the sum with one sample more. A panic is a fault, reported to the partition's
/// supervisor.
fn with(sum: usize, sample: usize) -> usize {
    assert!(sample <= 100, "no sample is so large");
    sum + sample
}

#[cfg(test)]
mod tests {
    use super::with;

    #[test]
    fn samples_are_summed() {
        assert_eq!((1..=4).fold(0, with), 10);
    }

    #[test]
    #[should_panic]
    fn what_is_no_sample_is_refused() {
        with(0, 101);
    }
}
