#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Serves the demo's models until Ctrl-C: reading of text as one service, and each model by itself; prints the address and a line for curl.
#   scripts/serve-demo.sh PROGRAM MODELS PICTURE [OPTION OF coracle-serve...]
set -eu
program=$1 models=$2 picture=$3
shift 3
port=8000
for option; do case $option in --http-port=*) port=${option#*=} ;; esac; done

"$program" "det=$models/models/ch_PP-OCRv4_det_infer" "rec=$models/models/ch_PP-OCRv4_rec_infer" \
  "cls=$models/models/ch_ppocr_mobile_v2_cls_infer" --reader "ocr=det,rec,cls,dictionary=$models/ch_ppocr_rec/ppocr_keys_v1.txt" "$@" &
server=$!
trap 'kill $server 2>/dev/null; wait $server' EXIT INT TERM
until curl -sf -o /dev/null "localhost:$port/v2/health/ready"; do
  kill -0 $server 2>/dev/null || exit 1
  sleep 0.2
done
cat <<END

A page to look at: http://localhost:$port/
The text of a picture:
  curl localhost:$port/v2/models/ocr/predict -H 'Content-Type: image/jpeg' --data-binary @$picture
Ctrl-C ends it.
END
wait $server
