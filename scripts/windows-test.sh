#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a build for Windows in wine: the program on models with Unicode names, what it says and how it ends; models whose results are
# known; tests of the library's inside.
#   scripts/windows-test.sh [--all]
#   scripts/windows-test.sh --programs     names the programs of tests
set -u

programs="base_tests archive_tests model_tests"
# A model of each kind that is quick: vision in float32 and int8, text, recurrence.
models="ppocr-v2.0-cls ppocr-v2.0-en-rec ch_PP-OCRv3_rec_slim_infer paddleslim-int8-mobilenet_v1 zoo-bilstm_ctc zoo-ernie_tiny zoo-yolo_head"

case "${1:-}" in
  --programs) echo $programs; exit ;;
  "" | --all) ;;
  *) echo "usage: $0 [--all | --programs]" >&2; exit 2 ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/windows
wine=$root/scripts/wine.sh
logs=$build/windows-test
rm -rf "$logs"
mkdir -p "$logs"
failed=""

# expect NAME CODE TEXT COMMAND...: the command ends with that code and says that text.
expect() {
  name=$1 code=$2 text=$3
  shift 3
  status=0
  "$@" >"$logs/$name" 2>&1 </dev/null || status=$?
  if [ $status != "$code" ] || ! grep -qF -- "$text" "$logs/$name"; then
    echo "windows: $name: FAILED: expected exit code $code and '$text', found $status and:"
    head -n 5 "$logs/$name" | cut -c 1-300
    failed="$failed $name"
  else
    echo "windows: $name: ok"
  fi
}

"$wine" cmd /c exit || exit 77
program=$build/coracle.exe
expect version 0 "coracle " "$wine" "$program" --version
expect usage 2 "there is no command 'rnu'" "$wine" "$program" rnu
expect missing 5 "no such model" "$wine" "$program" inspect 'C:\no\such\モデル.pdmodel'
# No library but Windows' own.
others=$(x86_64-w64-mingw32-objdump -p "$build/coracle.dll" "$build/paddle_inference_c.dll" "$program" | sed -n 's/.*DLL Name: //p' | sort -u |
  grep -viE '^(kernel32|msvcrt|advapi32|shell32|psapi|user32|coracle)\.dll$')
[ -z "$others" ] || { echo "windows: FAILED: needs $others"; failed="$failed libraries"; }

model=$root/build/demo-models/models/ch_ppocr_mobile_v2_cls_infer
if [ -d "$model" ]; then
  folder="$logs/Модель 模型 \"x"
  folder=$(echo "$folder" | tr -d '"')  # no name on Windows has quotes
  cp -r "$model" "$folder"
  expect run 0 '"outputs"' "$wine" "$program" run "$folder" --shape x=1,3,48,192 --json --output-dir "$folder/ответ"
  [ -s "$folder/ответ/0.npy" ] || { echo "windows: FAILED: no ответ/0.npy"; failed="$failed unicode"; }
  # What is written as a whole replaces what is there, also read-only and mapped.
  expect save 0 "MiB" "$wine" "$program" optimize "$folder" -o "$folder/сохранено.coracle"
  expect again 0 "MiB" "$wine" "$program" optimize "$folder/сохранено.coracle" -o "$folder/сохранено.coracle"
  expect saved 0 '"outputs"' "$wine" "$program" run "$folder/сохранено.coracle" --shape x=1,3,48,192 --json --threads 2
  left=$(find "$folder" -name '*.tmp' -o -name '*.old')
  [ -z "$left" ] || { echo "windows: FAILED: left $left"; failed="$failed left"; }
  # The same through cmd.exe, with its quoting.
  cp -r "$model" "$logs/a & b (100%)"
  printf '@"%s" run "a & b (100%%%%)" --shape x=1,3,48,192 --json\r\n' "$("$wine" winepath -w "$program" | tr -d '\r')" >"$logs/quoting.bat"
  (cd "$logs" && expect quoting 0 '"outputs"' "$wine" cmd /c quoting.bat; [ -z "$failed" ]) || failed="$failed quoting"
else
  echo "windows: the program on models: skipped, there are none (make models)"
fi

first="--first $models"
[ "${1:-}" != --all ] || first=""
status=0
"$wine" "$build/golden_test.exe" --threads 2 $first >"$logs/golden" 2>&1 || status=$?
[ $status = 77 ] && echo "windows: golden models: skipped, there are none" || {
  echo "windows: golden models: $(tail -n 1 "$logs/golden" | tr -d '\r')"
  [ $status = 0 ] || { failed="$failed golden"; grep -avE '  ok' "$logs/golden" | head -n 20 | cut -c 1-300; }
}
for test in $programs; do
  status=0
  "$wine" "$build/$test.exe" --gtest_brief=1 >"$logs/$test" 2>&1 || status=$?
  echo "windows: $test: $(tail -n 1 "$logs/$test" | tr -d '\r')"
  [ $status = 0 ] || { failed="$failed $test"; grep -aE -A 6 ': Failure|^\[  FAILED' "$logs/$test" | head -n 60 | cut -c 1-300; }
done
[ -z "$failed" ] || echo "windows-test: failed:$failed" >&2
[ -z "$failed" ]
