#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs what was built for musl with musl's own loader, which is not installed: models of each kind, whose answers have to be Paddle's, the same
# bits as in the build for this machine where there is one, and the program.
#   scripts/musl-test.sh [BUILD]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath "${1:-$root/build/musl}")
models="ppocr-v2.0-cls ppocr-v2.0-en-rec ch_PP-OCRv3_rec_slim_infer paddleslim-int8-mobilenet_v1 zoo-bilstm_ctc zoo-ernie_tiny zoo-yolo_head"
logs=$build/musl-test
mkdir -p "$logs"

loader=$root/build/sysroot/musl/lib/ld-musl-x86_64.so.1
if [ ! -e "$loader" ]; then
  (cd "$logs" && apt-get download -qq musl && dpkg-deb -x musl_*.deb "$root/build/sysroot/musl" && rm musl_*.deb)
fi
failed=""
# test NAME COMMAND...
test_that() {
  name=$1 status=0
  shift
  "$@" >"$logs/$name" 2>&1 || status=$?
  if [ $status = 0 ]; then
    echo "musl: $name: $(tail -n 1 "$logs/$name")"
  elif [ $status = 77 ]; then
    echo "musl: $name: skipped: $(tail -n 1 "$logs/$name")"
  else
    failed="$failed $name"
    tail -n 20 "$logs/$name" | cut -c 1-300
  fi
}
test_that program "$loader" --library-path "$build" "$build/coracle" run "$root/../shared/models/ppocr-v2.0-cls" --shape x=1,3,48,192
# It is linked statically: the system's kernel is all that it needs.
test_that models "$build/golden_test" --bits --threads 2 --first $models
if [ -x "$root/build/release/golden_test" ]; then
  test_that models.here "$root/build/release/golden_test" --bits --threads 2 --first $models
  cmp "$logs/models" "$logs/models.here" || failed="$failed bits"
fi
# Nothing but musl is needed.
needed=$(objdump -p "$build/libcoracle.so.0" "$build/coracle" | awk '$1 == "NEEDED" { print $2 }' | sort -u | grep -v -x -e libc.so -e libcoracle.so.0 || true)
[ -z "$needed" ] || failed="$failed needs:$(echo $needed)"
[ -z "$failed" ] || echo "musl-test: failed:$failed" >&2
[ -z "$failed" ]
