#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds and runs a program that has the real protobuf, glog, gflags and OpenMP beside an installed Coracle, in both
# orders in which the loader may look libraries up.
#   neighbours_test.sh BUILD_DIR SOURCE_DIR
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/functions.sh"
command -v protoc > "$work/found" || { echo "skipped: no protobuf-compiler here"; exit 77; }
for header in google/protobuf/message.h glog/logging.h gflags/gflags.h omp.h; do
  echo "#include <$header>" | c++ -std=c++20 -fopenmp -x c++ -fsyntax-only - 2> "$work/missing" ||
    { echo "skipped: no $header here"; exit 77; }
done
install_and_move "$build"
"$build/write_model" "$work/model"
build_project "$here/neighbours" "$work/neighbours" -DCMAKE_PREFIX_PATH="$work/moved"
"$work/neighbours/neighbours_coracle" --model="$work/model"
"$work/neighbours/neighbours_coracle_static" --model="$work/model"
LD_PRELOAD=$work/moved/lib/libcoracle.so "$work/neighbours/neighbours_coracle" --model="$work/model"
expect_shared "$work/neighbours/neighbours_coracle" libprotobuf
expect_static "$work/neighbours/neighbours_coracle_static"
