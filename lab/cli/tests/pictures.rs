//! Reports in a browser, on a desk and on a phone: each chart shows its marks, and no word of it is cut off.
//!
//! Without a browser nothing is rendered, and the test says so; where everything is checked, the script installs one.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Folder, succeed, taktos};

/// The names under which Chromium is known.
const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "chrome-headless-shell",
];
/// How wide windows are: a desk's, a phone's.
const WIDTHS: [u32; 2] = [1280, 500];
/// What begins and ends the browser's findings.
const FOUND: &str = "@found ";
/// Looks at each chart: marks are what has a tip, and lines; words are in the picture when all of their box is.
const LOOK: &str = r#"<script>
const found = [];
const charts = [...document.querySelectorAll("figure svg")];
for (const [number, svg] of charts.entries()) {
  const frame = svg.getBoundingClientRect();
  const name = `chart ${number} (${svg.querySelector("title").textContent})`;
  const marks = [...svg.querySelectorAll("rect > title, circle > title")].map(tip => tip.parentNode);
  const shown = [...marks, ...svg.querySelectorAll("polyline")].filter(mark => {
    const box = mark.getBoundingClientRect();
    return box.width + box.height > 0 && box.right > frame.left && box.left < frame.right;
  });
  if (shown.length === 0) found.push(`${name} shows nothing`);
  for (const text of svg.querySelectorAll("text")) {
    const box = text.getBoundingClientRect();
    const outside = Math.max(frame.left - box.left, box.right - frame.right, frame.top - box.top, box.bottom - frame.bottom);
    if (outside > 1) found.push(`${name} cuts "${text.textContent}" off by ${outside.toFixed(0)}`);
  }
}
const wide = document.documentElement.scrollWidth > window.innerWidth + 1;
if (wide) found.push("the page is wider than the window");
document.title = "@found " + JSON.stringify({ charts: charts.length, found }) + "@";
</script>"#;

fn browser() -> Option<&'static str> {
    let answers = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    BROWSERS.into_iter().find(answers)
}

/// What the browser finds in a report: how many charts, and what is wrong.
fn look(browser: &str, report: &Path, width: u32) -> (u64, Vec<String>) {
    let page = report.with_extension(format!("{width}.html"));
    let html = fs::read_to_string(report).unwrap();
    fs::write(&page, format!("{html}{LOOK}")).unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("--window-size={width},900"))
        .arg(format!(
            "--user-data-dir={}",
            page.with_extension("profile").display()
        ))
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8(output.stdout).unwrap();
    let said = dom
        .split(FOUND)
        .nth(1)
        .and_then(|rest| rest.split("}@").next());
    let said = said.unwrap_or_else(|| panic!("{browser} did not look: {dom}"));
    let said = said
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let data: serde_json::Value = serde_json::from_str(&format!("{said}}}")).unwrap();
    let found = data["found"].as_array().unwrap().iter();
    let found = found.map(|one| one.as_str().unwrap().to_owned());
    (data["charts"].as_u64().unwrap(), found.collect())
}

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
        "reproduce ipc --board mps2-an386",
        "sim experiments/onboard.toml --cpus 4",
        "latency --loops 50",
    ];
    let run = |(number, line): (usize, &str)| {
        let place = folder.0.join(format!("result-{number}"));
        let mut command = taktos(line);
        succeed(command.current_dir(common::root()).arg("--out").arg(&place));
        place.join("report.html")
    };
    commands.into_iter().enumerate().map(run).collect()
}

#[test]
fn no_chart_of_a_report_is_empty_or_clipped() {
    let Some(browser) = browser() else {
        println!("not rendered: none of {} is here", BROWSERS.join(", "));
        return;
    };
    let folder = Folder::new("pictures");
    for report in reports(&folder) {
        for width in WIDTHS {
            let (charts, found) = look(browser, &report, width);
            let name = report.display();
            assert!(charts > 0, "{name} has no chart");
            assert!(found.is_empty(), "{name} at {width}: {found:#?}");
        }
    }
}

#[test]
fn what_is_wrong_is_found() {
    let Some(browser) = browser() else {
        println!("not rendered: none of {} is here", BROWSERS.join(", "));
        return;
    };
    let folder = Folder::new("wrong-pictures");
    let svg = "<!doctype html><figure><svg viewBox='0 0 100 50' width='100' height='50'><title>mine</title>\
               <text x='90' y='20'>far too long</text></svg></figure>";
    let report = folder.file("report.html", svg);
    let (charts, found) = look(browser, &report, 900);
    // A folder looks at its pictures itself when it goes, and this one is wrong on purpose.
    fs::remove_dir_all(&folder.0).unwrap();
    assert_eq!((charts, found.len()), (1, 2), "{found:?}");
    assert!(found[0].contains("mine) shows nothing"), "{found:?}");
    assert!(found[1].contains("cuts \"far too long\" off"), "{found:?}");
}
