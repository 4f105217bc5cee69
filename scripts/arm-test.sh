#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs tests of a cross build in Debian's qemu-user: a sample of them, or all; then the same models as on one processor after the other,
# whose results have to have the same bits.
#   scripts/arm-test.sh aarch64 | armv7 [--all | PROGRAM...]
#   scripts/arm-test.sh --programs     names what it runs
# SAMPLE=0 ... 15 names the sample's part of the tests (scripts/rotating_sample.sh). With PROGRAM, as in devices_tests, all tests of that
# alone. QEMU_CPU, as in QEMU_CPU=cortex-a53, names the processor that these run on; without it that is qemu's `max`.
set -u

# Programs of tests: of all kernels. What starts other programs cannot run here.
programs="devices_tests"
# A model of each kind that is quick: vision in float32 and int8, text, recurrence.
models="ppocr-v2.0-cls ppocr-v2.0-en-rec ch_PP-OCRv3_rec_slim_infer paddleslim-int8-mobilenet_v1 zoo-qat_cnn zoo-bilstm_ctc zoo-ernie_tiny zoo-yolo_head"

architecture=${1:-}
case "$architecture" in
  --programs) echo $programs; exit ;;
  # Without SDOT, with it, and with SMMLA and BFMMLA too.
  aarch64) debian=arm64 qemu=qemu-aarch64 processors="cortex-a53 cortex-a76 neoverse-n1 max" ;;
  armv7) debian=armhf qemu=qemu-arm processors="cortex-a7 cortex-a15 max" ;;
  *) echo "usage: $0 aarch64 | armv7 [--all | PROGRAM...]" >&2; exit 2 ;;
esac
shift
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/$architecture
if ! command -v $qemu >/dev/null; then
  echo "arm-test: there is no $qemu; on Debian: scripts/setup-debian.sh --arm" >&2
  exit 77
fi
export QEMU_LD_PREFIX="${CORACLE_SYSROOT:-$root/build/sysroot/$debian}"
logs=$build/arm-test
mkdir -p "$logs"
jobs=${JOBS:-$(nproc)}
failed=""

# Parts of a program at the same time: test PROGRAM PARTS FIRST STEP takes parts FIRST, FIRST + STEP ... of PARTS.
test_program() {
  program=$1 parts=$2 first=$3 step=$4
  start=$(date +%s)
  part=$first pids=""
  while [ "$part" -lt "$parts" ] && [ -n "$part" ]; do
    GTEST_TOTAL_SHARDS=$parts GTEST_SHARD_INDEX=$part $qemu "$build/$program" --gtest_brief=1 >"$logs/$program.$part" 2>&1 &
    pids="$pids $part:$!"
    part=$((part + step))
  done
  passed=0 wrong=""
  for pid in $pids; do
    wait "${pid#*:}" || wrong="$wrong ${pid%:*}"
    passed=$((passed + $(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$logs/$program.${pid%:*}" | tail -n 1 | grep . || echo 0)))
  done
  echo "$architecture: $program: $passed passed$([ -z "$wrong" ] || echo ", FAILED in part$wrong of $parts"), $(($(date +%s) - start)) s"
  for part in $wrong; do
    grep -aE -A 6 ': Failure|^\[  FAILED|terminate|signal' "$logs/$program.$part" | head -n 60 | cut -c 1-300
    tail -n 3 "$logs/$program.$part" | cut -c 1-300
  done
  [ -z "$wrong" ] || failed="$failed $program"
}

# What golden_test is asked for, on each processor.
test_bits() {
  start=$(date +%s)
  pids=""
  for processor in $processors; do
    QEMU_CPU=$processor $qemu "$build/golden_test" --bits --threads 1 "$@" >"$logs/golden.$processor" 2>&1 &
    pids="$pids $processor:$!"
  done
  for pid in $pids; do
    processor=${pid%:*} status=0
    wait "${pid#*:}" || status=$?
    [ $status != 77 ] || { echo "$architecture: models: skipped, there are none"; return; }
    echo "$architecture: models on $processor: $(tail -n 1 "$logs/golden.$processor"), $(($(date +%s) - start)) s"
    if [ $status != 0 ]; then
      failed="$failed models($processor)"
      grep -a -vE '^[^ ]+ +[^ ]+ +[-+.e0-9]+ +ok' "$logs/golden.$processor" | head -n 20 | cut -c 1-300
    fi
    if ! cmp -s "$logs/golden.${processors%% *}" "$logs/golden.$processor"; then
      failed="$failed bits($processor)"
      diff "$logs/golden.${processors%% *}" "$logs/golden.$processor" | head -n 10 | cut -c 1-300
    fi
  done
}

if [ $# -gt 0 ] && [ "$1" != --all ]; then
  for program in "$@"; do test_program "$program" "$jobs" 0 1; done
elif [ $# -gt 0 ]; then
  for program in $programs; do test_program "$program" "$jobs" 0 1; done
  test_bits
else
  number=${SAMPLE:-$(git -C "$root" rev-list --count HEAD 2>/dev/null || echo 0)}
  for program in $programs; do test_program "$program" 16 $((number % 16)) 16; done
  test_bits --first $models
fi
[ -z "$failed" ] || echo "arm-test: failed:$failed" >&2
[ -z "$failed" ]
