#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs a build, moves the installed tree, builds the user's project and the code of README.md against it and runs
# them, those of README.md as far as the models they need are there.
#   install_test.sh BUILD_DIR SOURCE_DIR
set -eu
build=$1
source=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/functions.sh"
install_and_move "$build"
"$build/write_model" "$work/model"

# Nothing installed knows where it was made.
! grep -rlF -e "$work/installed" -e "$build" -e "$source" "$work/moved" || exit 1

build_project "$here/user" "$work/user" -DCMAKE_PREFIX_PATH="$work/moved"
for program in c cpp; do
  "$work/user/${program}_coracle" "$work/model"
  "$work/user/${program}_coracle_static" "$work/model"
  expect_shared "$work/user/${program}_coracle" libcoracle.so.0
  expect_static "$work/user/${program}_coracle_static"
done
"$work/moved/bin/coracle" inspect "$work/model" > "$work/inspected"
grep -q product "$work/inspected"

python3 "$here/snippets.py" "$source/README.md" "$work/readme"
build_project "$work/readme" "$work/readme/build" -DCMAKE_PREFIX_PATH="$work/moved"
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
