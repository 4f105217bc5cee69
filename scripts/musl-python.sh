#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes build/musl-python, a Python with musl that runs on this machine, with numpy and pytest, and prints the path of its program. Neither
# Debian nor PyPI has one: it is compiled from Debian's sources by ziglang, with libffi, which ctypes needs, and zlib. Its numpy is PyPI's
# for musl. What it is linked with is Debian's musl, at its path in build/sysroot. Its threads have stacks of 1 MiB, as those of Alpine's Python.
#   scripts/musl-python.sh     (make musl is there)
set -eu
cd "$(dirname "$0")/.."
loader=$(scripts/musl-loader.sh)

host=x86_64-linux-musl
tools=$PWD/build/zig/$host
libraries=$PWD/build/sysroot/$host
python=$PWD/build/musl-python
requirements=tests/python/musl/requirements.txt
wanted=$(cat "$0" "$requirements" "$tools/clang" | cksum)
if [ "$(cat "$python/made" 2>/dev/null)" = "$wanted" ]; then
  echo "$python/bin/python3"
  exit
fi
# The steps of its build that are written in Python are done by this machine's, which has to be of the same version.
here=/usr/bin/python3.11
[ -x "$here" ] || { echo "musl-python: there is no $here (Debian 12)" >&2; exit 77; }
sources=$PWD/build/sysroot/python-sources
scripts/debian-sources.sh "$sources" python3.11 libffi
jobs=${JOBS:-$(nproc)}
log=$PWD/build/musl-python.log
rm -rf "$python" "$python.build"
mkdir -p "$python/bin" "$python/lib/python3.11/lib-dynload" "$python.build/libffi" "$python.build/python"
cc="$tools/clang"
! command -v ccache >/dev/null || cc="ccache $cc"

# step FOLDER COMMAND...
step() {
  (cd "$1" && shift && "$@") >>"$log" 2>&1 || { tail -n 30 "$log" >&2; echo "musl-python: $2 failed, see $log" >&2; exit 1; }
}
: >"$log"
step "$python.build/libffi" "$sources/libffi/configure" --host=$host --prefix="$python.build" --disable-shared --with-pic --disable-docs \
  CC="$cc" CXX="$tools/clang++" AR="$tools/ar" RANLIB="$tools/ranlib" CFLAGS="-O1 -Wno-implicit-function-declaration"
step "$python.build/libffi" make -j "$jobs" install

# Debian's musl is 1.2.3, which lacks two functions of ziglang's, and has no crypt_r. Variables of ziglang's libc.so have one address: whoever copies
# one (programs without -fPIC) has them all.
step "$python.build/python" env PKG_CONFIG_LIBDIR="$python.build/lib/pkgconfig" "$sources/python3.11/configure" --host=$host --build=x86_64-unknown-linux-musl \
  --with-build-python="$here" --prefix="$python" --without-ensurepip --disable-test-modules --disable-ipv6 --without-readline \
  CC="$cc" CXX="$tools/clang++" AR="$tools/ar" RANLIB="$tools/ranlib" READELF="$(command -v readelf)" CFLAGS="-O1 -fPIC -Wno-date-time" OPT=-DNDEBUG \
  CPPFLAGS="-I$python.build/include -I$libraries/include" LDFLAGS="-L$python.build/lib -L$libraries/lib" \
  ac_cv_file__dev_ptmx=yes ac_cv_file__dev_ptc=no ac_cv_func_preadv2=no ac_cv_func_pwritev2=no
# All that is in C becomes part of the program: what builds modules of their own takes headers of this machine.
{
  echo '*static*'
  grep -E '^[a-z_]' "$python.build/python/Modules/Setup.stdlib" | grep -vE '^(xx|_xx|ossaudiodev|_crypt)'
  echo zlib zlibmodule.c -lz
  echo _ctypes _ctypes/_ctypes.c _ctypes/callbacks.c _ctypes/callproc.c _ctypes/stgdict.c _ctypes/cfield.c \
    -DHAVE_FFI_PREP_CIF_VAR -DHAVE_FFI_PREP_CLOSURE_LOC -DHAVE_FFI_CLOSURE_ALLOC -lffi
} >"$python.build/python/Modules/Setup.local"
step "$python.build/python" make -j "$jobs" LINKFORSHARED="-dynamic -rdynamic -Wl,-dynamic-linker,$loader -Wl,-z,stack-size=1048576" \
  python pybuilddir.txt
cp "$python.build/python/python" "$python/bin/python3"
cp "$python.build"/python/build/lib.*/_sysconfigdata*.py "$python/lib/python3.11/_sysconfigdata__$host.py"  # where Debian looks
tar -C "$sources/python3.11/Lib" --exclude=test --exclude=__pycache__ --exclude=idlelib --exclude=tkinter -cf - . | tar -C "$python/lib/python3.11" -xf -
build/python-venv/bin/pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all: --platform musllinux_1_1_x86_64 --platform musllinux_1_2_x86_64 \
  --python-version 3.11 --target "$python/lib/python3.11/dist-packages" -r "$requirements" >&2
"$python/bin/python3" -c 'import ctypes, numpy, zlib' >&2
rm -rf "$python.build"
echo "$wanted" >"$python/made"
echo "$python/bin/python3"
