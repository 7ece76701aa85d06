//! Owns: waiting for what the script `taktos` sets up while steps run. Must never know: how
//! anything is installed.

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use taktos_cli::command::needs::Need;

/// Environment variable with the folder in which the script makes a file for each thing that is
/// there; without it, all is.
const VARIABLE: &str = "TAKTOS_SETTING_UP";
/// The file that says that no more will come: all is there, or something could not be installed.
const OVER: &str = "over";
/// The most that a step waits for one thing: a slow mirror takes minutes for all.
const MOST: Duration = Duration::from_secs(1800);
/// How often a step looks.
const EVERY: Duration = Duration::from_millis(50);

/// Set-up by the script that is under way.
pub(super) struct SettingUp(Option<PathBuf>);

impl SettingUp {
    /// Returns the set-up that the script has announced.
    pub(super) fn told() -> Self {
        Self(std::env::var_os(VARIABLE).map(PathBuf::from))
    }

    /// All is there already.
    #[cfg(test)]
    pub(super) const fn nothing() -> Self {
        Self(None)
    }

    /// Waits until all of this is there.
    ///
    /// # Errors
    /// When something is not, and will not be.
    pub(super) fn wait_for(&self, needs: &[Need]) -> Result<()> {
        let Some(folder) = &self.0 else {
            return Ok(());
        };
        needs.iter().try_for_each(|need| wait(folder, need.word()))
    }

    /// Ends the waiting: all steps are done, and none checks the folder any more.
    pub(super) fn end(&self) {
        if let Some(folder) = &self.0 {
            // One that stays holds a few empty files.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

fn wait(folder: &Path, need: &str) -> Result<()> {
    let begin = Instant::now();
    let is_there = || folder.join(need).exists();
    while !is_there() {
        // It may have come before the end was reported.
        if folder.join(OVER).exists() && !is_there() {
            bail!(
                "it needs {need}, which could not be set up: why is told above, or by ./taktos doctor"
            );
        }
        if begin.elapsed() > MOST {
            bail!(
                "it needs {need}, which was not set up in {} s",
                MOST.as_secs()
            );
        }
        sleep(EVERY);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder(name: &str) -> (PathBuf, SettingUp) {
        let folder = std::env::temp_dir().join(format!("taktos-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        (folder.clone(), SettingUp(Some(folder)))
    }

    #[test]
    fn where_nothing_is_set_up_nobody_waits() {
        SettingUp::nothing().wait_for(&[Need::Emulator]).unwrap();
    }

    #[test]
    fn a_step_waits_until_all_that_it_needs_is_there() {
        let (folder, setting_up) = folder("waits");
        fs::write(folder.join("images"), "").unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                sleep(4 * EVERY);
                fs::write(folder.join("emulator"), "").unwrap();
            });
            setting_up
                .wait_for(&[Need::Images, Need::Emulator])
                .unwrap();
        });
        assert!(folder.join("emulator").exists());
        setting_up.end();
        assert!(!folder.exists());
    }

    #[test]
    fn what_will_not_come_is_an_error_and_what_came_is_not() {
        let (folder, setting_up) = folder("over");
        fs::write(folder.join("images"), "").unwrap();
        fs::write(folder.join(OVER), "").unwrap();
        setting_up.wait_for(&[Need::Images]).unwrap();
        let error = setting_up
            .wait_for(&[Need::Images, Need::Clang])
            .unwrap_err();
        assert!(error.to_string().contains("needs clang"), "{error}");
        setting_up.end();
    }
}
