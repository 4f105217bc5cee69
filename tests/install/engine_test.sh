#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the example of an engine against an installed Coracle, and runs blocks on it.
#   engine_test.sh BUILD_DIR SOURCE_DIR
set -eu
build=$1
source=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/functions.sh"
install_and_move "$build"
build_project "$source/examples/engine" "$work/engine" -DCMAKE_PREFIX_PATH="$work/moved" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror"
plugin=$work/engine/libcoracle_engine_simple.so
! loads "$plugin" | grep coracle || { echo "the plug-in links with Coracle"; exit 1; }
[ "$(nm -D --defined-only "$plugin" | awk '$2 != "W" && $2 != "V" && $2 != "u" {print $3}')" = coracle_engine_get ] ||
  { echo "the plug-in exports more than it should"; exit 1; }
CORACLE_ENGINE_PATH=$work/engine CORACLE_EXAMPLE_ENGINE=simple "$build/engines_tests" --gtest_filter='ExampleEngine.*' > "$work/said"
grep -q 'PASSED  . 1 test' "$work/said" || { cat "$work/said"; exit 1; }

# The engines that are installed lie beside the library, which looks for them there.
for engine in "$work"/moved/lib/libcoracle_engine_*.so "$work"/moved/lib/*/libcoracle_engine_*.so; do
  [ -e "$engine" ] || continue
  [ -e "$(dirname "$engine")/libcoracle.so.0" ] || { echo "$engine does not lie beside libcoracle.so.0"; exit 1; }
done
