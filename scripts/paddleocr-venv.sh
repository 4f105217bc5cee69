#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes build/paddleocr-venv: PaddleOCR 3, PaddleX 3 and RapidOCR 3 from PyPI, without PaddlePaddle.
#   scripts/paddleocr-venv.sh 2               makes build/paddleocr-2-venv: PaddleOCR 2 and rapidocr-paddle
#   scripts/paddleocr-venv.sh paddlex 3.4.3   makes build/paddlex-3.4.3-venv: that version of PaddleX
set -eu
cd "$(dirname "$0")/.."

case "${1:-}" in
  "") venv=build/paddleocr-venv requirements=tests/python/paddleocr/requirements.txt alone=rapidocr==3.10.0 ;;
  2) venv=build/paddleocr-2-venv requirements=tests/python/paddleocr/requirements-2.txt alone=rapidocr-paddle==1.4.5 ;;
  paddlex)
    version=${2:?"which version of PaddleX, such as 3.4.3"}
    mkdir -p build
    echo "paddlex[ocr-core]==$version" >"build/paddlex-$version.txt"
    exec scripts/venv.sh "build/paddlex-$version-venv" "build/paddlex-$version.txt" ;;
  *) echo "usage: $0 [2 | paddlex VERSION]" >&2; exit 2 ;;
esac
cmp -s "$requirements" "$venv/complete" && exit 0
scripts/venv.sh "$venv" "$requirements"
rm "$venv/complete"
# Its packages would bring another OpenCV, which replaces the files of the first, or PaddlePaddle.
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps "$alone" >&2
cp "$requirements" "$venv/complete"
