//! Reports in a browser, on a desk and on a phone: each chart shows its marks, and no word of it is
//! cut off. The report of `reproduce ipc`, which has long runs, is checked together with its
//! figures (`papers`).

use std::fs;
use std::path::PathBuf;

use crate::common::{Folder, browser, succeed, taktos};

/// A report of each kind: of marks, of a task set, of lateness on several processors.
fn reports(folder: &Folder) -> Vec<PathBuf> {
    let mine = folder.file(
        "mine.toml",
        "title = 'Yield'\nquestion = 'How far apart?'\nboard = 'mps2-an386'\nprogram = 'bench'\n\
         [[figure]]\nkind = 'histogram'\ntitle = 'Values'\nmarks = ['yield', 'semaphore-wake']\n\
         [[figure]]\nkind = 'tail'\ntitle = 'Tail'\nmarks = ['yield']\n\
         [[figure]]\nkind = 'schedule'\ntitle = 'First switches'\nswitches = 60\n",
    );
    let commands = [
        &format!("run {}", mine.display()),
        "sim experiments/onboard.toml --cpus 4",
        "latency --loops 50",
    ];
    let run = |(number, line): (usize, &str)| {
        let place = folder.0.join(format!("result-{number}"));
        let mut command = taktos(line);
        succeed(
            command
                .current_dir(crate::common::root())
                .arg("--out")
                .arg(&place),
        );
        place.join("report.html")
    };
    commands.into_iter().enumerate().map(run).collect()
}

#[test]
fn no_chart_of_a_report_is_empty_or_clipped() {
    let folder = Folder::new("pictures");
    for report in reports(&folder) {
        browser::look_at(&report);
    }
}

#[test]
fn what_is_wrong_is_found() {
    let Some(browser) = browser::found() else {
        return;
    };
    let folder = Folder::new("wrong-pictures");
    let svg = "<!doctype html><figure><svg viewBox='0 0 100 50' width='100' height='50'><title>mine</title>\
               <text x='90' y='20'>far too long</text></svg></figure>";
    let report = folder.file("report.html", svg);
    let (charts, found) = browser::look(browser, &report, 900);
    // A folder checks its pictures itself when it is dropped, and this one is wrong on purpose.
    fs::remove_dir_all(&folder.0).unwrap();
    assert_eq!((charts, found.len()), (1, 2), "{found:?}");
    assert!(found[0].contains("mine) shows nothing"), "{found:?}");
    assert!(found[1].contains("cuts \"far too long\" off"), "{found:?}");
}
