#!/bin/sh
# Counts the stretches of budgets.toml in the image that ships, by the tool of that Taktos which Cargo.toml names.
set -eu
about=$(cargo metadata --locked --format-version 1)
field() { printf '%s' "$about" | tr ',' '\n' | sed -n "s|.*\"$1\":\"\(.*\)$2\".*|\1|p" | head -n 1; }
taktos=$(field manifest_path /facade/Cargo.toml)
target=$(field target_directory '')
cargo build --locked --release --target <<target>>
# The tool has a target directory of its own.
exec env -u CARGO_TARGET_DIR "$taktos/taktos" count "$target/<<target>>/release/<<name>>" --board <<board>> --budget budgets.toml
