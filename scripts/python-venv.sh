#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes build/python-venv: what the tests of the Python package and the making of wheels need.
set -eu
cd "$(dirname "$0")/.."

venv=build/python-venv
cmp -s tests/python/requirements.txt "$venv/complete" && exit 0
mkdir -p build
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
rm -rf "$venv"
"$python" -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r tests/python/requirements.txt >&2
cp tests/python/requirements.txt "$venv/complete"
