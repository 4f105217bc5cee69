#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles Coracle's headers without warnings with each compiler that is here and runs a program that uses every member:
# coracle.h, engine.h, quantize.h and vision.h as C99, C11 and C++, coracle.hpp, quantize.hpp and logger.hpp as C++17 and C++20, with and without exceptions and RTTI, those of
# libcoracle_vision as C++17 and C++20.
#   headers_test.sh SOURCE_DIR BUILD_DIR MODEL
set -eu
source=$1
build=$2
model=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strict="-Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Werror -pedantic -I$source/include"
link="-L$build -lcoracle -Wl,-rpath,$build"
here=$source/tests/headers
cd "$work"

printf '#include <coracle/device.h>\n#include <coracle/coracle.h>\n#include <coracle/engine.h>\n#include <coracle/quantize.h>\n#include <coracle/vision/vision.h>\n' > alone.c
for compiler in gcc clang-14; do
  command -v $compiler > found || { echo "no $compiler here"; continue; }
  for standard in c99 c11 c17; do
    $compiler -std=$standard -Wall -Wextra -Wstrict-prototypes -Werror -pedantic -I"$source/include" -fsyntax-only alone.c
  done
done

for header in coracle.h device.h quantize.h coracle.hpp logger.hpp quantize.hpp span.hpp; do echo "#include <coracle/$header>" > alone_$header.cc; done
echo "#include <coracle/engine.h>" > alone_engine.h.cc
for header in frame image predictor text_reader vision; do echo "#include <coracle/vision/$header.h>" > alone_$header.cc; done
for compiler in g++ clang++-14; do
  command -v $compiler > found || { echo "no $compiler here"; continue; }
  for standard in c++11 c++14 c++17 c++20; do
    $compiler -std=$standard $strict -fno-exceptions -fno-rtti -fsyntax-only alone_coracle.h.cc alone_device.h.cc alone_engine.h.cc alone_quantize.h.cc alone_vision.cc
  done
  for standard in c++17 c++20; do
    for header in coracle.hpp logger.hpp quantize.hpp span.hpp frame image predictor text_reader vision; do
      echo alone_$header.cc
    done | xargs -P 2 -n 5 $compiler -std=$standard $strict -fsyntax-only
    $compiler -std=$standard $strict -fno-rtti -fsyntax-only "$here/every_member.cc"
  done
  # One program with the older standard and all of C++, one with the newer and less of it.
  for options in -std=c++17 "-std=c++20 -fno-exceptions -fno-rtti"; do
    $compiler $strict $options "$here/every_member.cc" -o every_member $link
    ./every_member "$model"
  done
done

# Without exceptions (the last one built) an error ends the program, and says why.
if ./every_member "$model" error 2> said; then
  echo "an error was passed over"
  exit 1
fi
grep -q "coracle: error 4: no such model: '/nonexistent/model'" said
echo "all headers compile"
