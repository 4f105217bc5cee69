#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles each header of include/paddle_lite alone and the programs, with each compiler that is here, from C++11 on, without
# warnings and RTTI; and the headers from an installed tree, where they lie beside those of Coracle and Paddle.
#   headers_test.sh SOURCE_DIR
set -eu
source=$1
programs=$source/tests/paddle_lite/programs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-Wall -Wextra -Werror -pedantic -fno-rtti -fsyntax-only"
mkdir "$work/include"
for folder in coracle paddle paddle_lite; do ln -s "$source/include/$folder" "$work/include/$folder"; done
for compiler in g++ clang++-14; do
  command -v "$compiler" > "$work/path" || { echo "no $compiler here"; continue; }
  for standard in c++11 c++20; do
    "$compiler" -std=$standard $flags -I"$work/include/paddle_lite" "$programs/every_lite_member.cc"
  done
done
fast=$(command -v clang++-14 || command -v g++)
"$fast" -std=c++20 -w -fsyntax-only -I"$work/include/paddle_lite" "$programs/lite_classifier.cc" "$programs/lite_detector.cc"
cd "$work/include/paddle_lite"
for header in *.h detail/*.h; do
  echo "#include \"$header\"" > "$work/alone_$(echo "$header" | tr / _).cc"
done
printf '%s\n' "$work"/alone_*.cc | xargs -P 2 -n 4 "$fast" -std=c++11 $flags -I.
echo "all headers compile"
