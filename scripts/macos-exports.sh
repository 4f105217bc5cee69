#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares what a build for macOS exports with the list of the C interface: nothing is missing, and nothing else is there but operator new and
# delete, which libc++ has in every library, and what the linker itself adds.
#   scripts/macos-exports.sh build/macos-aarch64
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
nm=$(command -v llvm-nm-14 || command -v llvm-nm) || { echo "macos-exports: there is no llvm-nm; on Debian: scripts/setup-debian.sh --checks" >&2; exit 77; }
names=$(mktemp)
trap 'rm -f "$names"' EXIT
"$nm" -gU --just-symbol-name "$build/libcoracle.dylib" | sed 's/^_//' | grep -vE '^(_Z(n|d)[wal].*|__dso_handle|_mh_dylib_header)$' | sort >"$names"
sed -n 's/^symbol \(coracle_[a-z0-9_]*\):.*/\1/p' "$root/tests/abi/coracle.txt" | sort | diff - "$names" >&2 || {
  echo "macos-exports: $build/libcoracle.dylib exports other names than tests/abi/coracle.txt lists (<: missing, >: too many)" >&2
  exit 1
}
echo "macos-exports: $(wc -l <"$names") functions, $(stat -c %s "$build/libcoracle.dylib") bytes"
