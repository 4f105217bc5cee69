#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a sample of the tests below BUILD in Debian's qemu-user, one processor after the other, and says for each which instruction sets
# it has there. What qemu cannot emulate (docs/kernels.md) it leaves out of the processor, so that tests of it are skipped or take
# the kernels of the next plainer set.
#   scripts/processors.sh BUILD [PROCESSOR...]
set -eu

build=${1:?"usage: $0 BUILD [PROCESSOR...]"}
shift
[ $# -gt 0 ] || set -- Nehalem Haswell EPYC max
qemu=${QEMU:-qemu-x86_64}
if ! command -v "$qemu" >/dev/null; then
  echo "processors: there is no $qemu; on Debian: apt-get install qemu-user" >&2
  exit 77
fi
# Kernels of every family, what is packed, and saved models.
devices='Processors.*:PlainPanels.*:Gemm.*:IntegerGemm.*:Quantize.*:Softmax.*:ConvPoolKernels.*:MatmulKernels.*-*Epilogues*'
run='PackedLayouts.*:SavedPacked.*:All/SavedOnAnotherProcessor.*Linear*:All/SavedOnAnotherProcessor.*Integers*:Precision.*'
failed=0
for processor in "$@"; do
  for tests in "devices_tests $devices" "run_tests $run"; do
    program=${tests%% *}
    echo "== $processor: $program"
    "$qemu" -cpu "$processor" "$build/$program" --gtest_brief=1 --gtest_filter="${tests#* }" 2>&1 | grep -v 'TCG doesn.t support' || true
  done
done >"$build/processors.log" 2>&1
cat "$build/processors.log"
if grep -q 'FAILED TEST\|core dumped\|Illegal' "$build/processors.log"; then failed=1; fi
exit $failed
