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
rm -rf build/wheel  # 1 GB that ccache makes again
bytes=$(stat -c %s "$wheel")
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
"$python" -m zipfile -e "$wheel" "$work/content"
library=$work/content/coracle/libcoracle.so
vision=$work/content/coracle/libcoracle_vision.so
quantize=$work/content/coracle/libcoracle_quantize.so
program=$work/content/coracle/bin/coracle
echo "$(basename "$wheel"): $bytes bytes, library $(stat -c %s "$library") bytes, program $(stat -c %s "$program") bytes"
[ "$bytes" -lt 8000000 ] && [ "$(stat -c %s "$library")" -lt 10000000 ] || {
  echo "the wheel is larger than 8 MB or its library than 10 MB" >&2
  exit 1
}
for file in "$library" "$vision" "$quantize" "$work"/content/coracle/bin/*; do
  if readelf -S "$file" | grep -qE '[.](symtab|debug_info)'; then
    echo "$file is not stripped" >&2
    exit 1
  fi
  others=$(readelf -d "$file" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libcoracle|libcoracle_quantize|libc|libm|libpthread|libdl|libgcc_s|ld-linux-x86-64)[.]so' || true)
  [ -z "$others" ] || { echo "$file needs libraries that not every system has: $others" >&2; exit 1; }
done
for file in LICENSE THIRD_PARTY_NOTICES; do
  cmp "$file" "$work"/content/coracle-*.dist-info/licenses/$file
done
# The tag tells the newest glibc that is needed: 2.28 at most, which systems of 2018 have.
needed=$(objdump -T "$library" "$vision" "$quantize" "$work"/content/coracle/bin/* | grep -o 'GLIBC_2[.][0-9]*' | sort -Vu | tail -n 1 | tr . _ | sed 's/GLIBC_//')
case $wheel in
  *manylinux_"$needed"_x86_64.whl) ;;
  *) echo "library and program need glibc $needed, the wheel says $wheel" >&2; exit 1 ;;
esac
[ "${needed#2_}" -le 28 ] || {
  echo "these need a newer glibc than 2.28, see cmake/glibc_2_28.cc:" >&2
  objdump -T "$library" "$vision" "$quantize" "$work"/content/coracle/bin/* | grep -E 'GLIBC_2[.](29|[3-9][0-9])' >&2
  exit 1
}
nm -D --defined-only "$library" | grep -v ' coracle_' && { echo "the library exports more than coracle_*" >&2; exit 1; }
nm -D --defined-only "$quantize" | grep -v ' coracle_quantiz' && { echo "libcoracle_quantize exports more than coracle_quantiz*" >&2; exit 1; }
nm -D --defined-only "$vision" | grep -vE ' (coracle_|_ZN?[A-Z]*K?N7coracle6vision|_ZNK?7coracle6vision)' && { echo "libcoracle_vision exports more than is its own" >&2; exit 1; }

grep -q '^Provides-Extra: ray$' "$work"/content/coracle-*.dist-info/METADATA

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
found="import coracle; print(len(coracle.pipeline('tests/vision/objects', description='tests/vision/descriptions/objects.yml')('examples/ocr/demo.jpg').objects))"
[ "$("$work/venv/bin/python" -c "$found")" -gt 0 ]
echo "virtual environment $(((installing - start) / 1000000)) ms, pip install $(((installed - installing) / 1000000)) ms," \
  "first answer $(((answered - installed) / 1000000)) ms after it"
[ "$("$work/venv/bin/pip" list --format freeze --disable-pip-version-check | grep -cvE '^(pip|setuptools|wheel|coracle|numpy)=')" = 0 ]

# The program by its name and as a module: its answer, its status and its folder are those of a program that was started directly.
cd "$work"
./venv/bin/coracle inspect linear.pdmodel >by_name
./venv/bin/python -m coracle inspect linear.pdmodel >as_module
grep -q linear by_name && cmp by_name as_module
[ "$(./venv/bin/coracle --version | sed -n '1s/^coracle //p')" = "$(./venv/bin/python -c 'import coracle; print(coracle.__version__)')" ]
[ ! -f content/coracle/bin/coracle-ocr ] || ./venv/bin/coracle-ocr --help >ocr_help
status=0
./venv/bin/python -m coracle run nowhere 2>/dev/null || status=$?
[ "$status" = 5 ] || { echo "a file that is not there ends the program with $status" >&2; exit 1; }
