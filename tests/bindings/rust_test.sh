#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The crates: places of fields, their tests, and the example on the demo's picture.
#   rust_test.sh BUILD_DIR DEMO_MODELS
set -eu
. "$(dirname "$0")/functions.sh"
needs cargo "cargo rustc"
prepare
cd "$source/bindings/rust"
CARGO_TARGET_DIR=$build/rust
export CARGO_TARGET_DIR
case $(rustc --version) in  # of which later ones have more
  "rustc 1.63."*) RUSTFLAGS="-D warnings"; export RUSTFLAGS ;;
esac
cargo="cargo --quiet --offline"
$cargo run --package coracle-sys --features vision --example layout > "$work/layout"
python3 "$source/scripts/bindings/check.py" --layout "$work/layout"
$cargo check --package coracle
$cargo test --package coracle --features vision
reads_the_demo $cargo run --package coracle --features vision --example read_text --
