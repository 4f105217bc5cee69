# SPDX-License-Identifier: Apache-2.0
"""The largest absolute value of blobs of a model in ncnn: ncnn_ranges.py MODEL.param MODEL.bin INPUT.npy RESULT.json BLOBS [OPTION=0|1...]

BLOBS are names with commas between them. It runs where run_ncnn.py does.
"""
import json
import sys

import numpy as np

import run_ncnn


def main():
    param, weights, given, result, blobs, *options = sys.argv[1:]
    net = run_ncnn.loaded(param, weights, options)
    extractor = net.create_extractor()
    extractor.set_light_mode(False)  # blobs stay until they have been asked for
    extractor.input("in0", run_ncnn.picture(given))
    ranges = {blob: float(np.abs(np.array(run_ncnn.extracted(extractor, blob, param))).max()) for blob in blobs.split(",")}
    with open(result, "w") as file:
        json.dump(ranges, file)


main()
