#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example reads a word. Exit status 77 where the model is not here.
#   read_line_test.sh JAVA BUILD_DIR CLASSES MODELS
set -eu
java=$1 build=$2 classes=$3 models=$4
[ -d "$models/ppocr-v2.0-en-rec" ] || { echo "skipped: there is no $models/ppocr-v2.0-en-rec"; exit 77; }
text=$("$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.library.path="$build" -cp "$build/PaddlePredictor.jar:$classes" ReadLine \
  "$models/ppocr-v2.0-en-rec" "$models/ocr-dicts/en_dict.7677d31.txt" "$models/images/imgs_words_en/word_201.png")
[ "$text" = HOUSE ] || { echo "read '$text', expected HOUSE"; exit 1; }
