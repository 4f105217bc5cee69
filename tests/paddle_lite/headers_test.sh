#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles each header of include/paddle_lite alone as C++11, and the program that uses every member as C++11 and C++20, each
# with another compiler where both are here; without warnings and RTTI, and as the headers lie in an installed tree, beside
# those of Coracle and Paddle.
#   headers_test.sh SOURCE_DIR
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-Wall -Wextra -Werror -pedantic -fno-rtti -fsyntax-only -I$work/include/paddle_lite"
mkdir "$work/include"
for folder in coracle paddle paddle_lite; do ln -s "$source/include/$folder" "$work/include/$folder"; done
first=$(command -v g++ || command -v clang++-14)
second=$(command -v clang++-14 || command -v g++)
"$first" -std=c++11 $flags "$source/tests/paddle_lite/programs/every_lite_member.cc"
"$second" -std=c++20 $flags "$source/tests/paddle_lite/programs/every_lite_member.cc"
cd "$work/include/paddle_lite"
for header in *.h detail/*.h; do
  echo "#include \"$header\"" > "$work/alone_$(echo "$header" | tr / _).cc"
done
printf '%s\n' "$work"/alone_*.cc | xargs -P 2 -n 4 "$second" -std=c++11 $flags
echo "all headers compile"
