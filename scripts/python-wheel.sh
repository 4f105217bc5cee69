#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel into build/wheels and prints its path. auditwheel reads from library and program which glibc they need and
# names the wheel after that (manylinux_2_N); nothing is copied into the wheel, or this fails.
set -eu
cd "$(dirname "$0")/.."
scripts/venv.sh build/python-venv tests/python/requirements.txt

bin=$PWD/build/python-venv/bin
rm -rf build/wheels build/wheels-linux
# With the compiler's name of the other builds, so that ccache knows the objects.
CXX="${CXX:-c++}" "$bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/wheels-linux . >&2
PATH="$bin:$PATH" auditwheel repair --wheel-dir build/wheels build/wheels-linux/coracle-*.whl >&2
wheel=$(echo build/wheels/coracle-*-py3-none-manylinux*.whl)
if copied=$("$bin/python" -m zipfile -l "$wheel" | grep 'coracle[.]libs/'); then
  echo "python-wheel: library or program need others than those of every system: $copied" >&2
  exit 1
fi
echo "$wheel"
