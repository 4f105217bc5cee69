#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the user's programs with what pkg-config says about an installed tree that was moved: with the shared library,
# with the static one, and with nothing but static libraries.
#   pkg_config_test.sh BUILD_DIR SOURCE_DIR
set -eu
build=$1
programs=$2/tests/paddle/programs
here=$(cd "$(dirname "$0")" && pwd)
. "$here/functions.sh"
command -v pkg-config > "$work/found" || { echo "skipped: no pkg-config here"; exit 77; }
install_and_move "$build"
"$build/write_model" "$work/model"
PKG_CONFIG_LIBDIR=$work/moved/lib/pkgconfig
export PKG_CONFIG_LIBDIR
asked() { pkg-config --keep-system-libs "$@"; }
[ "$(asked --modversion coracle)" = "$("$work/moved/bin/coracle" --version | sed -n '1s/^coracle //p')" ]
cd "$work"
library_path=$work/moved/lib

cc -std=c99 "$here/user/user.c" -o c_shared $(asked --cflags --libs coracle)
c++ -std=c++20 "$here/user/user.cc" -o cpp_shared $(asked --cflags --libs coracle)
cc -std=c99 "$programs/every_function.c" -o paddle $(asked --cflags --libs paddle_inference_c)
for program in c_shared cpp_shared; do
  expect_shared $program libcoracle.so.0
  LD_LIBRARY_PATH=$library_path ./$program "$work/model"
done
expect_shared paddle libpaddle_inference_c.so.0
LD_LIBRARY_PATH=$library_path ./paddle "$work/model/inference.pdmodel" "$work/model/inference.pdiparams"

# -lcoracle alone, as the linker finds it where there is no shared library, brings everything in.
rm "$library_path"/*.so*
cc -std=c99 "$here/user/user.c" -o c_static $(asked --static --cflags --libs coracle)
c++ -std=c++20 "$here/user/user.cc" -o cpp_static $(asked --static --cflags --libs coracle)
cc -std=c99 -static "$here/user/user.c" -o c_all_static $(asked --static --cflags --libs coracle)
cc -std=c99 "$programs/every_function.c" -o paddle_static $(asked --static --cflags --libs paddle_inference_c)
expect_static paddle_static
./paddle_static "$work/model/inference.pdmodel" "$work/model/inference.pdiparams"
for program in c_static cpp_static c_all_static; do
  expect_static $program
  ./$program "$work/model"
done
