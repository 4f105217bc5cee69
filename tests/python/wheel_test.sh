#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel, installs it in a new virtual environment and runs the example there, as a newcomer would. Prints the wheel's
# size and tag, and the time from the installation to the first answer.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CORACLE_LIBRARY PYTHONPATH || true

wheel=$(scripts/python-wheel.sh)
bytes=$(stat -c %s "$wheel")
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
"$python" -m zipfile -e "$wheel" "$work/content"
library=$work/content/coracle/libcoracle.so
echo "$(basename "$wheel"): $bytes bytes, library $(stat -c %s "$library") bytes"
[ "$bytes" -lt 8000000 ] && [ "$(stat -c %s "$library")" -lt 10000000 ] || {
  echo "the wheel is larger than 8 MB or its library than 10 MB" >&2
  exit 1
}
if readelf -S "$library" | grep -qE '[.](symtab|debug_info)'; then
  echo "the library is not stripped" >&2
  exit 1
fi
for file in LICENSE THIRD_PARTY_NOTICES; do
  cmp "$file" "$work"/content/coracle-*.dist-info/licenses/$file
done
# The tag tells the newest glibc that is needed.
needed=$(objdump -T "$library" | grep -o 'GLIBC_2[.][0-9]*' | sort -V | tail -n 1 | tr . _ | sed 's/GLIBC_//')
case $wheel in
  *manylinux_"$needed"_x86_64.whl) ;;
  *) echo "the library needs glibc $needed, the wheel says $wheel" >&2; exit 1 ;;
esac
nm -D --defined-only "$library" | grep -v ' coracle_' && { echo "the library exports more than coracle_*" >&2; exit 1; }

start=$(date +%s%N)
"$python" -m venv "$work/venv"
installing=$(date +%s%N)
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "$wheel"
installed=$(date +%s%N)
"$work/venv/bin/python" tests/python/program_file.py "$work/linear"
(cd "$work" && ./venv/bin/python "$OLDPWD/examples/python/first_run.py" linear.pdmodel) >"$work/answer"
answered=$(date +%s%N)
cat "$work/answer"
[ "$(cat "$work/answer")" = "{'y': (1, 4), 'p0': (1, 4)}" ]
echo "virtual environment $(((installing - start) / 1000000)) ms, pip install $(((installed - installing) / 1000000)) ms," \
  "first answer $(((answered - installed) / 1000000)) ms after it"
[ "$("$work/venv/bin/pip" list --format freeze --disable-pip-version-check | grep -cvE '^(pip|setuptools|wheel|coracle|numpy)=')" = 0 ]
