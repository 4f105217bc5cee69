#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a virtual environment with the packages of a file, unless it is there with just these:
#   scripts/venv.sh build/python-venv tests/python/requirements.txt     tests of the Python package, making of wheels
#   scripts/venv.sh build/openvino-venv tests/engines/requirements.txt  the library that tests of the engine `openvino` run with
set -eu
cd "$(dirname "$0")/.."

[ $# -eq 2 ] || { echo "usage: $0 VENV REQUIREMENTS" >&2; exit 2; }
venv=$1
requirements=$2
cmp -s "$requirements" "$venv/complete" && exit 0
mkdir -p "$(dirname "$venv")"
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
rm -rf "$venv"
"$python" -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" >&2
cp "$requirements" "$venv/complete"
