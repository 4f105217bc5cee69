#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Format, licence lines, layering, clang-tidy. All are run, then the exit code tells whether one failed.
#   scripts/lint.sh BUILD_DIR [--quick | --changed]   BUILD_DIR has compile_commands.json; --quick leaves clang-tidy out, with --changed it
#                                                     looks at what has changed since it last passed (.ci/linted)
set -u
cd "$(dirname "$0")/.."
build=${1:?which build folder?}
failed=0

sources=$(git ls-files '*.cc' '*.h' '*.hpp')
echo "$sources" | xargs clang-format-14 --dry-run -Werror || { echo "lint: format (make format repairs it)" >&2; failed=1; }

for file in $(git ls-files '*.cc' '*.h' '*.hpp' '*.def' '*.py' '*.sh' '*.cmake' '*CMakeLists.txt'); do
  [ -s "$file" ] || continue
  head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || { echo "lint: $file: no SPDX line" >&2; failed=1; }
done

python3 scripts/check_layers.py || failed=1
python3 scripts/check_names.py || failed=1

if [ "${2:-}" != --quick ]; then
  # The product's units, but for the inner loops, which are compiled once per instruction set by rules of their own. Batches of files parse
  # what they share once; that they include what is no header is what they are for.
  # What only a build makes is left out.
  units="($build/src|src|examples)/(?!devices/cpu/isa/|known_attributes|devices/gpu/packed_sources|serve/grpc/generated/).*\.cc"
  if [ "${2:-}" = --changed ] && changed=$(python3 scripts/changed_units.py "$build"); then
    units="($(echo "$changed" | sed 's/[.]/\\./g' | paste -s -d '|'))"
    echo "lint: clang-tidy looks at $(echo "$changed" | grep -c .) units, make lint at all" >&2
  fi
  run-clang-tidy-14 -quiet -j "$(nproc)" -p "$build" -extra-arg=-Wno-unknown-warning-option \
    -checks=-bugprone-suspicious-include \
    "^$(pwd)/$units$" >build/clang-tidy.log 2>&1 || {
    grep -E '(warning|error):' build/clang-tidy.log | sort -u >&2
    echo "lint: clang-tidy (the whole log is build/clang-tidy.log)" >&2
    failed=1
  }
fi
[ $failed = 0 ] && echo "lint: all good" >&2
exit $failed
