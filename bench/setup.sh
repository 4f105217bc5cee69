#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes build/bench-venv with the engines of requirements.txt, build/bench-venv-pir with what reads and converts the newer model
# format, and the machine's probe. A package that cannot be installed is left out with a line on stderr; the engines that need it
# say so in the table.
set -eu
cd "$(dirname "$0")/.."

mkdir -p build/bench
if [ ! -f build/bench/libprobe.so ] || [ bench/probe.cc -nt build/bench/libprobe.so ]; then
  g++ -std=c++20 -O2 -march=native -ffp-contract=fast -shared -fPIC -pthread bench/probe.cc -o build/bench/libprobe.so
fi
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3

# make_venv VENV REQUIREMENTS
make_venv() {
  venv=$1
  requirements=$2
  [ "$venv/complete" -nt "$requirements" ] && return
  echo "bench: installing the packages of $requirements into $venv" >&2
  [ -x "$venv/bin/pip" ] || "$python" -m venv "$venv"
  install="$venv/bin/pip install --quiet --disable-pip-version-check"
  if ! $install -r "$requirements" >&2; then
    grep -v '^#' "$requirements" | while read -r package; do
      $install -c "$requirements" "$package" >&2 || echo "bench: no $package" >&2
    done
  fi
  touch "$venv/complete"
}

make_venv build/bench-venv bench/requirements.txt
make_venv build/bench-venv-pir bench/requirements-pir.txt
