#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tests of the Python package in other versions of Python, each with the oldest NumPy from 1.24 on that has a wheel for it and with
# the newest one, over the library of build/release.
#   scripts/python-versions.sh             every python3.9 to python3.15 on the path, also free-threaded ones (python3.13t)
#   scripts/python-versions.sh PYTHON...   these interpreters
set -eu
cd "$(dirname "$0")/.."

# What needs other programs, engines or the real Paddle has its own versions of Python.
tests="arrays as_paddle async_queue async batch cancel device_tensor dlpack document files free_threaded life log misuse model observe
  operators pipeline saved session"

if [ $# -eq 0 ]; then
  for minor in 9 10 11 12 13 14 15; do
    for name in "python3.$minor" "python3.${minor}t"; do
      # A shim of a version manager may be there without the version.
      "$name" -c '' 2>/dev/null && set -- "$@" "$name"
    done
  done
  [ $# -gt 0 ] || { echo "python-versions: there is no python3.9 to python3.15 on the path" >&2; exit 1; }
fi

export CORACLE_LIBRARY="$PWD/build/release/libcoracle.so" PYTHONPATH="$PWD/python" PYTHONDONTWRITEBYTECODE=1
export CORACLE_SHARED="${CORACLE_SHARED:-$PWD/../shared}" CORACLE_FAKE_CUDA="$PWD/build/release/tests/support/fake_cuda"
[ -e "$CORACLE_LIBRARY" ] || { echo "python-versions: there is no $CORACLE_LIBRARY; make all builds it" >&2; exit 1; }

passed=0 failed=0
for python in "$@"; do
  version=$("$python" -c 'import sys; print("%d.%d%s" % (*sys.version_info[:2], "t" * (not getattr(sys, "_is_gil_enabled", lambda: True)())))')
  case "$version" in
    3.9 | 3.10 | 3.11) oldest=1.24.4 ;;
    3.12) oldest=1.26.4 ;;
    3.13 | 3.13t) oldest=2.1.3 ;;
    *) oldest= ;;
  esac
  for numpy in ${oldest:+"numpy==$oldest"} numpy; do
    venv=build/python-versions/$version-$numpy
    if [ ! -f "$venv/complete" ]; then
      rm -rf "$venv"
      "$python" -m venv "$venv"
      "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "$numpy" pytest pillow >&2
      # Where it has no wheel its tests skip.
      "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "$numpy" ml_dtypes >&2 || true
      touch "$venv/complete"
    fi
    echo "Python $version, NumPy $("$venv/bin/python" -c 'import numpy; print(numpy.__version__)')"
    if "$venv/bin/python" -m pytest -q -rs -p no:cacheprovider $(for test in $tests; do echo "tests/python/${test}_test.py"; done); then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
    fi
  done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
