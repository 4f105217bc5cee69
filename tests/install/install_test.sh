#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs a build into a prefix, builds the user's project against it and runs it.
#   install_test.sh BUILD_DIR MODEL
set -eu
build=$1
model=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" > "$work/log"
cmake -S "$here/user" -B "$work/user" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release >> "$work/log"
cmake --build "$work/user" >> "$work/log"
"$work/user/user_c"
count=$("$work/user/user_cpp" "$model")
echo "first output has $count elements"
[ "$count" -gt 0 ]
