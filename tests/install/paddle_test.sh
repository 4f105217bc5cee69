#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the folders that projects for Paddle Inference expect, builds such a project there and runs it, if its model
# is there; then a project that finds Coracle's package and links the interfaces of Paddle and Paddle Lite.
#   paddle_test.sh BUILD_DIR SOURCE_DIR [PROGRAM PARAMS]     a model of images of 48 x 48
set -eu
build=$1
programs=$2/tests/paddle/programs
model=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
logged() { "$@" >> "$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
logged cmake --install "$build" --component paddle_layout --prefix "$work/root"
for file in LICENSE THIRD_PARTY_NOTICES; do cmp "$2/$file" "$work/root/paddle/$file"; done
logged cmake -S "$here/paddle_client" -B "$work/client" -DPADDLE_LIB="$work/root" -DDEMO_NAME=resnet50 \
  -DDEMO_SOURCES="$programs" -DCMAKE_BUILD_TYPE=Release
logged cmake --build "$work/client"
"$work/client/extension"
logged cmake -S "$here/paddle_client" -B "$work/static" -DPADDLE_LIB="$work/root" -DDEMO_NAME=resnet50 -DWITH_MKL=OFF \
  -DDEMO_SOURCES="$programs" -DWITH_STATIC_LIB=ON -DCMAKE_BUILD_TYPE=Release
logged cmake --build "$work/static"
for name in libphi.so libcommon.so libpaddle_fluid.so; do cp "$work/root/paddle/lib/$name" "$work"; done
grep -q "^WITH_GPU: OFF" "$work/root/version.txt"

logged cmake --install "$build" --prefix "$work/prefix"
mkdir "$work/package"
cat > "$work/package/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(package LANGUAGES C CXX)
find_package(coracle REQUIRED)
set(CMAKE_CXX_STANDARD 17)
add_executable(members "$programs/every_member.cc")
target_link_libraries(members PRIVATE coracle::paddle_inference)
add_executable(lite_members "$programs/../../paddle_lite/programs/every_lite_member.cc"
                            "$programs/../../paddle_lite/programs/lite_second_unit.cc")
target_link_libraries(lite_members PRIVATE coracle::paddle_lite)
add_executable(functions "$programs/every_function.c")
target_link_libraries(functions PRIVATE coracle::paddle_inference_c)
END
logged cmake -S "$work/package" -B "$work/package/build" -DCMAKE_PREFIX_PATH="$work/prefix"
logged cmake --build "$work/package/build"

if [ -f "$model" ]; then
  "$work/client/resnet50" "$3" "$4" 1 48 48 "$work/cpp"
  "$work/client/resnet50_c" "$3" "$4" 1 48 48 "$work/c"
  "$work/static/resnet50" "$3" "$4" 1 48 48 "$work/static/result"
  cmp "$work/cpp" "$work/c"
  cmp "$work/cpp" "$work/static/result"
  [ -s "$work/cpp" ]
else
  echo "the reference folder ../shared is absent: the programs were built, not run"
fi
