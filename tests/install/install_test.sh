#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs a build into a prefix, builds the user's project and the code of README.md against it and runs them, as far
# as the models they need are there.
#   install_test.sh BUILD_DIR SOURCE_DIR [MODEL]
set -eu
build=$1
source=$2
model=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" > "$work/log"
build_project() {
  { cmake -S "$1" -B "$2" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release && cmake --build "$2"; } \
    >> "$work/log" || { cat "$work/log"; exit 1; }
}
build_project "$here/user" "$work/user"
"$work/user/user_c"
if [ -f "$model" ]; then
  count=$("$work/user/user_cpp" "$model")
  echo "first output has $count elements"
  [ "$count" -gt 0 ]
else
  echo "the reference folder ../shared is absent: user_cpp was built, not run"
fi

python3 "$here/snippets.py" "$source/README.md" "$work/readme"
build_project "$work/readme" "$work/readme/build"
"$work/readme/build/app"
"$work/readme/build/app_c"
models=$source/build/demo-models/models
if [ -d "$models/ch_PP-OCRv4_det_infer" ]; then
  cd "$models"
  "$work/readme/build/app" run
  errors=$("$work/readme/build/app_c" run 2>&1)
  [ -z "$errors" ] || { echo "$errors"; exit 1; }
  echo "the code of README.md ran"
fi
