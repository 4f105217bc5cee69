#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds library, program, packages and wheel twice from the files under version control, in folders of other names and without
# ccache, and compares all bits. An hour of a core each.
#   scripts/reproducible.sh [--no-wheel]
set -eu
cd "$(dirname "$0")/.."
export CCACHE_DISABLE=1
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
jobs=$(nproc)
root=$PWD/build/reproducible
rm -rf "$root"
for folder in "$root/one" "$root/another/with a longer name"; do
  mkdir -p "$folder/coracle"
  git ls-files -z | xargs -0 cp --parents -t "$folder/coracle"
  (
    cd "$folder/coracle"
    cmake --preset release -DBUILD_TESTING=OFF -DCORACLE_BUILD_EXAMPLES=OFF > cmake.log
    cmake --build --preset release -j "$jobs" > build.log
    cpack --config build/release/CPackConfig.cmake -B build/packages > cpack.log
    scripts/sbom.py "$(build/release/coracle --version | sed -n '1s/^coracle //p')" build/packages
    [ "${1:-}" = --no-wheel ] || scripts/python-wheel.sh > wheel.log
    mkdir results
    cp build/release/libcoracle.so build/release/lib/libcoracle.a build/release/coracle results
    find build/packages build/wheels -maxdepth 1 -type f -exec cp {} results \; 2> find.log || true
    (cd results && sha256sum ./*) > results.txt
  )
done
cat "$root/one/coracle/results.txt"
cmp "$root/one/coracle/results.txt" "$root/another/with a longer name/coracle/results.txt"
echo "both builds are the same"
