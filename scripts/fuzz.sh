#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs each fuzz target of a build for a while; the first crash, hang or memory beyond the limit ends it.
#   scripts/fuzz.sh BUILD_DIR SECONDS
set -eu
cd "$(dirname "$0")/.."
build=${1:?which build folder?}
seconds=${2:?how many seconds per target?}

found=0
for target in "$build"/*_fuzz; do
  [ -x "$target" ] || continue
  found=1
  name=$(basename "$target")
  corpus="$build/corpus/$name"
  mkdir -p "$corpus" "$build/findings"
  # Committed seeds, where there are some, come after the growing corpus.
  seeds=tests/fuzz/seeds/$name
  [ -d "$seeds" ] || seeds=""
  echo "fuzz: $name, $seconds s" >&2
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 -verbosity=0 \
    -artifact_prefix="$build/findings/$name-" "$corpus" $seeds
done
[ $found = 1 ] || { echo "fuzz: no targets in $build" >&2; exit 1; }
