#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes build/openvino-venv: the library that the tests of the engine `openvino` run with.
set -eu
cd "$(dirname "$0")/.."

venv=build/openvino-venv
cmp -s tests/engines/requirements.txt "$venv/complete" && exit 0
mkdir -p build
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
rm -rf "$venv"
"$python" -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r tests/engines/requirements.txt >&2
cp tests/engines/requirements.txt "$venv/complete"
