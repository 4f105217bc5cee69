#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a sample of the tests of a build in Debian's qemu-user, as on one processor after the other. What qemu cannot emulate
# (docs/kernels.md) it leaves out of the processor, which then runs the kernels of the next plainer instruction set.
#   scripts/processors.sh BUILD [PROCESSOR...]
set -eu

build=${1:?"usage: $0 BUILD [PROCESSOR...]"}
shift
[ $# -gt 0 ] || set -- Nehalem Haswell EPYC max
if ! command -v qemu-x86_64 >/dev/null; then
  echo "processors: there is no qemu-x86_64; on Debian: apt-get install qemu-user" >&2
  exit 77
fi

# Products of every width, what is packed, and saved models.
devices='Processors.*:PlainPanels.*:Isa/GemmTest.*:QuantizedGemm.*:QuantizeKernels.*:SoftmaxKernels.*'
run='SavedPacked.*:*SavedOnAnotherProcessor*Linear*:*SavedOnAnotherProcessor*Integers*'
log=$build/processors.log
failed=0
for processor in "$@"; do
  for tests in "devices_tests $devices" "run_tests $run"; do
    program=${tests%% *}
    echo "== $processor: $program"
    status=0
    qemu-x86_64 -cpu "$processor" "$build/$program" --gtest_filter="${tests#* }" >"$log" 2>&1 || status=$?
    if [ $status = 0 ]; then
      grep -E '^\[==.*ran|^\[  (PASSED|SKIPPED) ' "$log" || true
    else
      failed=1
      grep -v "TCG doesn't support" "$log" | tail -n 40
      echo "processors: $program on $processor ended with exit status $status" >&2
    fi
  done
done
exit $failed
