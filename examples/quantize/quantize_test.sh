#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example writes what the program writes of the same inputs, and says what is wrong.
#   quantize_test.sh QUANTIZE_NUMBERS CORACLE WRITE_MODEL
set -eu
example=$1 coracle=$2 write_model=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$write_model" plain
for number in 1 2 3 4 5 6; do
  head -c 8 /dev/zero | tr '\0' "$number" >"$number.bin"  # two float32 numbers
done
"$example" plain by_example 1x2 1.bin 2.bin 3.bin 4.bin 5.bin 6.bin >example.txt 2>said
grep -q '6 sets of inputs: values may reach further' said || { cat said; exit 1; }
"$coracle" quantize plain -o by_program --method minmax --shape x=1,2 --data 1.bin --data 2.bin --data 3.bin --data 4.bin \
  --data 5.bin --data 6.bin >program.txt 2>program.err
diff -r by_example by_program
sed 's/by_example/by_program/' example.txt | diff - program.txt
! "$example" plain out 1x2 none.bin 2>said || exit 1
grep -q 'none.bin: expected 8 bytes' said
! "$example" plain out 1x2x1 1.bin 2>said || exit 1
grep -q '1.bin: ' said
[ ! -e out ]
echo "all as expected"
