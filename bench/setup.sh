#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes build/bench-venv with the engines of requirements.txt, and the machine's probe. A package that cannot be installed is left
# out with a line on stderr; the engines that need it say so in the table.
set -eu
cd "$(dirname "$0")/.."

mkdir -p build/bench
if [ ! -f build/bench/libprobe.so ] || [ bench/probe.cc -nt build/bench/libprobe.so ]; then
  g++ -std=c++20 -O2 -march=native -ffp-contract=fast -shared -fPIC -pthread bench/probe.cc -o build/bench/libprobe.so
fi
venv=build/bench-venv
[ "$venv/complete" -nt bench/requirements.txt ] && exit 0
echo "bench: installing the engines of bench/requirements.txt into $venv" >&2
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
[ -x "$venv/bin/pip" ] || "$python" -m venv "$venv"
install="$venv/bin/pip install --quiet --disable-pip-version-check"
if ! $install -r bench/requirements.txt >&2; then
  grep -v '^#' bench/requirements.txt | while read -r package; do
    $install -c bench/requirements.txt "$package" >&2 || echo "bench: no $package" >&2
  done
fi
touch "$venv/complete"
