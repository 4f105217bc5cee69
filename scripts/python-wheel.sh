#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel into build/wheels and prints its path. auditwheel reads from library and program which glibc they need and
# names the wheel after that (manylinux_2_N); nothing is copied into the wheel, or this fails.
#   scripts/python-wheel.sh             of this machine
#   scripts/python-wheel.sh aarch64     of 64-bit ARM, by the cross compiler, into build/wheels-aarch64
#   scripts/python-wheel.sh musl        of Linux with musl on x86-64, by ziglang (make musl is there), into build/wheels-musl
#   scripts/python-wheel.sh musl-aarch64    the same of 64-bit ARM (make musl MUSL=aarch64 is there), into build/wheels-musl-aarch64
#   scripts/python-wheel.sh windows     of 64-bit Windows, by mingw-w64 (make windows is there), into build/wheels-windows
set -eu
cd "$(dirname "$0")/.."
scripts/venv.sh build/python-venv tests/python/requirements.txt

bin=$PWD/build/python-venv/bin
wheels=build/wheels${1:+-$1}
linux=build/wheels-linux${1:+-$1}
rm -rf "$wheels" "$linux"
# pip_wheel FOLDER OPTION...
pip_wheel() {
  "$bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$@" . >&2
}
if [ "${1:-}" = windows ]; then
  CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/toolchains/windows.cmake -DCORACLE_LIGHT_ISA=none -DCORACLE_BUILD_TRITON=OFF -DCORACLE_BUILD_EXAMPLES=OFF" \
    _PYTHON_HOST_PLATFORM=win-amd64 pip_wheel "$wheels" --config-settings build-dir=build/wheel-windows
  "$bin/python" scripts/wheel_program.py "$wheels"/coracle-*-py3-none-win_amd64.whl
  echo "$wheels"/coracle-*-py3-none-win_amd64.whl
  exit
fi
architecture=""
case "${1:-}" in musl) architecture=x86_64 ;; musl-*) architecture=${1#musl-} ;; esac
if [ -n "$architecture" ]; then
  CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/toolchains/musl.cmake -DCORACLE_MUSL=$architecture -DCORACLE_PRECOMPILE=OFF -DCORACLE_LIGHT_ISA=none -DCORACLE_BUILD_TRITON=OFF" \
    _PYTHON_HOST_PLATFORM=musllinux_1_2_$architecture pip_wheel "$wheels" --config-settings "build-dir=build/wheel-$1"
  wheel=$(echo "$wheels"/coracle-*-py3-none-musllinux_1_2_$architecture.whl)
  # The name says that musl 1.2.0 does: nothing but musl is needed, and of that nothing that came later.
  unpacked=build/wheel-$1/unpacked
  rm -rf "$unpacked"
  "$bin/python" -m zipfile -e "$wheel" "$unpacked"
  others=$(objdump -p "$unpacked"/coracle/*.so "$unpacked"/coracle/bin/* | awk '$1 == "NEEDED" { print $2 }' | grep -vxE 'libc[.]so|libcoracle(_quantize|_vision)?[.]so' || true)
  later=$(nm -D --undefined-only "$unpacked"/coracle/*.so "$unpacked"/coracle/bin/* | awk '{ print $2 }' |
    grep -xE '_Fork|gettid|reallocarray|qsort_r|pthread_getname_np|preadv2|pwritev2|statx|renameat2|posix_getdents' || true)
  if [ -n "$others$later" ]; then
    echo "python-wheel: the wheel needs what musl 1.2.0 does not have:" $others $later >&2
    exit 1
  fi
  echo "$wheel"
  exit
fi
# With the compiler's name of the other builds, so that ccache knows the objects.
if [ -z "${1:-}" ]; then
  CXX="${CXX:-c++}" pip_wheel "$linux"
else
  CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/toolchains/$1.cmake" _PYTHON_HOST_PLATFORM=linux-$1 \
    pip_wheel "$linux" --config-settings "build-dir=build/wheel-$1"
fi
PATH="$bin:$PATH" auditwheel repair --wheel-dir "$wheels" "$linux"/coracle-*.whl >&2
wheel=$(echo "$wheels"/coracle-*-py3-none-manylinux*.whl)
if copied=$("$bin/python" -m zipfile -l "$wheel" | grep 'coracle[.]libs/'); then
  echo "python-wheel: library or program need others than those of every system: $copied" >&2
  exit 1
fi
echo "$wheel"
