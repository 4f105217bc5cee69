#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles each header of include/paddle alone and the programs that use every member, without warnings, with each
# compiler that is here: as C++11 and 20, one of them as C++14 and 17 too, without RTTI, with both library ABIs; the C headers
# as C99 and C11.
#   headers_test.sh SOURCE_DIR LIBRARY_DIR
set -eu
source=$1
libraries=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cpp="-Wall -Wextra -Werror -pedantic -I$source/include -I$source/include/paddle"
programs=$source/tests/paddle/programs
cd "$source/include/paddle"
standards="c++11 c++14 c++17 c++20"
for compiler in g++ clang++-14; do
  command -v "$compiler" > "$work/path" || { echo "no $compiler here"; continue; }
  for standard in $standards; do
    "$compiler" -std=$standard $cpp -fno-rtti -fsyntax-only "$programs/every_member.cc" "$programs/every_config.cc"
  done
  # The older ABI of the library; everything else is built with the other one.
  "$compiler" -std=c++11 $cpp -D_GLIBCXX_USE_CXX11_ABI=0 "$programs/every_member.cc" -o "$work/members" -L"$libraries" -lcoracle \
    -Wl,-rpath-link,"$libraries"
  standards="c++11 c++20"
done
# What users write, built as C++11, is C++20 as well. One compiler is enough, and one of both is faster.
fast=$(command -v clang++-14 || command -v g++)
printf '%s\n' "$programs"/*.cc | xargs -P 2 -n 1 "$fast" -std=c++20 -w -I"$source/include/paddle" -I"$libraries/tests/paddle/root" -fsyntax-only
for header in *.h detail/*.h crypto/*.h phi/common/*.h; do
  echo "#include \"$header\"" > "$work/alone_$(echo "$header" | tr / _).cc"
done
printf '%s\n' "$work"/alone_*.cc | xargs -P 2 -n 4 "$fast" -std=c++11 $cpp -fsyntax-only
for compiler in gcc clang-14; do
  command -v "$compiler" > "$work/path" || { echo "no $compiler here"; continue; }
  for header in pd_*.h paddle_c_api.h; do
    echo "#include \"$header\"" > "$work/alone.c"
    for standard in c99 c11; do
      "$compiler" -std=$standard -Wall -Wextra -Werror -pedantic -I. -fsyntax-only "$work/alone.c"
    done
  done
done
echo "all headers compile"
