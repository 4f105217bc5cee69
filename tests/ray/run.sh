#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of coracle.ray in build/ray-venv; exit code 77 where Ray cannot be installed.
#   tests/ray/run.sh ARGUMENT...   arguments of pytest; SAMPLE=all runs all tests, as `make ray` does
set -eu
cd "$(dirname "$0")/../.."

venv=build/ray-venv
mkdir -p build
scripts/venv.sh "$venv" tests/ray/requirements.txt >build/ray-venv.log 2>&1 || {
  cat build/ray-venv.log
  grep -q 'from versions: none\|No matching distribution\|ConnectionError\|NewConnectionError\|Temporary failure\|timed out' build/ray-venv.log || exit 1
  echo "ray: skipped, Ray cannot be installed: PyPI is not reached or has none for this system"
  exit 77
}
export PYTHONDONTWRITEBYTECODE=1 RAY_USAGE_STATS_ENABLED=0
exec "$venv/bin/python" -m pytest -q -rs -p no:cacheprovider -W ignore "$@"
