//! Reports in a browser, as a person sees them.
//!
//! Without a browser nothing is rendered, and the test says so; where everything is checked, the
//! script installs one.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The names under which Chromium is known.
const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "chrome-headless-shell",
];
/// How wide windows are: a desk's, a phone's.
const WIDTHS: [u32; 2] = [1280, 500];
/// Mark at the beginning and the end of the browser's findings.
const FOUND: &str = "@found ";
/// Checks each chart: marks are what has a tip, and lines; words are in the picture when all of
/// their box is.
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

/// The browser that is here; says so where there is none.
pub fn found() -> Option<&'static str> {
    let answers = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let found = BROWSERS.into_iter().find(answers);
    if found.is_none() {
        println!("not rendered: none of {} is here", BROWSERS.join(", "));
    }
    found
}

/// Each chart of a report shows its marks, and no word of it is cut off, in each width.
pub fn look_at(report: &Path) {
    let Some(browser) = found() else {
        return;
    };
    for width in WIDTHS {
        let (charts, found) = look(browser, report, width);
        let name = report.display();
        assert!(charts > 0, "{name} has no chart");
        assert!(found.is_empty(), "{name} at {width}: {found:#?}");
    }
}

/// Returns the browser's findings in a report: the number of charts, and the errors.
pub fn look(browser: &str, report: &Path, width: u32) -> (u64, Vec<String>) {
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
