#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs what was built for musl with musl's own loader, which is not installed: models of each kind, whose answers have to be Paddle's, the same
# bits as in the build for this machine where there is one, and the program. Of the wheel, where it was made (make wheel-musl): its program,
# a program in C that is linked with musl and with its library, and tests of the package in a Python with musl (scripts/musl-python.sh).
# What was built for 64-bit ARM runs in qemu-user, and is compared with the build for glibc on it (make arm); there is no such Python.
#   scripts/musl-test.sh [x86_64 | aarch64]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
architecture=${1:-x86_64}
kind=musl here=$root/build/release emulator=""
if [ "$architecture" != x86_64 ]; then
  kind=musl-$architecture here=$root/build/$architecture emulator=qemu-$architecture
  if ! command -v "$emulator" >/dev/null; then
    echo "musl-test: there is no $emulator; on Debian: scripts/setup-debian.sh --arm" >&2
    exit 77
  fi
fi
build=$root/build/$kind
models="ppocr-v2.0-cls ppocr-v2.0-en-rec ch_PP-OCRv3_rec_slim_infer paddleslim-int8-mobilenet_v1 zoo-bilstm_ctc zoo-ernie_tiny zoo-yolo_head"
logs=$build/musl-test
mkdir -p "$logs"

loader=$("$root/scripts/musl-loader.sh" "$architecture")
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
test_that program $emulator "$loader" --library-path "$build" "$build/coracle" run "$root/../shared/models/ppocr-v2.0-cls" --shape x=1,3,48,192
# It is linked statically: the system's kernel is all that it needs.
test_that models $emulator "$build/golden_test" --bits --threads 2 --first $models
if [ -x "$here/golden_test" ]; then
  QEMU_LD_PREFIX="${CORACLE_SYSROOT:-$root/build/sysroot/arm64}" test_that models.here $emulator "$here/golden_test" --bits --threads 2 --first $models
  cmp "$logs/models" "$logs/models.here" || failed="$failed bits"
fi
wheel=$(echo "$root/build/wheels-$kind"/coracle-*-py3-none-musllinux_1_2_$architecture.whl)
if [ -e "$wheel" ]; then
  rm -rf "$logs/wheel"
  python3 -m zipfile -e "$wheel" "$logs/wheel"
  package=$logs/wheel/coracle
  test_that wheel.program $emulator "$loader" --library-path "$package" "$package/bin/coracle" run "$root/../shared/models/ppocr-v2.0-cls" --shape x=1,3,48,192
  "$root/build/zig/$architecture-linux-musl/clang" -std=c11 -I "$root/include" "$root/tests/install/user/user.c" "$package/libcoracle.so" -o "$logs/user_c"
  $emulator "$build/write_model" "$logs/product_model"
  test_that wheel.library $emulator "$loader" --library-path "$package" "$logs/user_c" "$logs/product_model"
  size=$(stat -c %s "$wheel")
  echo "musl: $(basename "$wheel"): $size bytes, its library $(stat -c %s "$package/libcoracle.so")"
  [ "$size" -lt 8000000 ] || failed="$failed size"
  nm -D --defined-only "$package/libcoracle.so" | grep -v ' coracle_' && failed="$failed exports"
  # pip of that Python looks whether the wheel is for it.
  status=77
  if [ -z "$emulator" ]; then
    status=0
    python=$("$root/scripts/musl-python.sh") || status=$?
  fi
  if [ $status = 0 ]; then
    site=$logs/site
    rm -rf "$site"
    export PYTHONPATH="$site" PYTHONDONTWRITEBYTECODE=1
    test_that wheel.pip "$python" "$root/build/python-venv/lib/python3.11/site-packages/pip" install --root-user-action=ignore --disable-pip-version-check --no-index --no-deps --target "$site" "$wheel"
    cd "$root"
    test_that wheel.python env -u CORACLE_LIBRARY "$python" -m pytest -q -rs -p no:cacheprovider tests/python/goldens_test.py \
      tests/python/model_test.py tests/python/session_test.py tests/python/async_test.py tests/python/saved_test.py
    test_that wheel.pictures env -u CORACLE_LIBRARY "$python" -c "import coracle
objects = coracle.pipeline('tests/vision/objects', description='tests/vision/descriptions/objects.yml')('examples/ocr/demo.jpg').objects
print(len(objects), 'objects')
assert objects"
  elif [ $status != 77 ]; then
    failed="$failed musl-python"
  fi
fi
# Nothing but musl is needed.
needed=$(objdump -p "$build/libcoracle.so.0" "$build/libcoracle_quantize.so.0" "$build/coracle" | awk '$1 == "NEEDED" { print $2 }' | sort -u | grep -vxE "libc[.]so|libcoracle(_quantize)?[.]so[.]0" || true)
[ -z "$needed" ] || failed="$failed needs:$(echo $needed)"
[ -z "$failed" ] || echo "musl-test: failed:$failed" >&2
[ -z "$failed" ]
