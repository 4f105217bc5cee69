# SPDX-License-Identifier: Apache-2.0
"""Runs a model by ncnn, with one thread: run_ncnn.py MODEL.param MODEL.bin INPUT.npy RUNS BLOB OUTPUT.npy [OPTION=0|1...]

One more run, up to BLOB, writes that into OUTPUT.npy. It runs in Debian's Python for ARM, in qemu-user (arm_ncnn.py), with nothing but numpy and ncnn.
An option is a member of ncnn.Option.
"""
import sys

import ncnn
import numpy as np


def loaded(param, weights, options):
    ncnn.set_omp_num_threads(1)
    net = ncnn.Net()
    net.opt.num_threads = 1
    for option in options:
        name, value = option.split("=")
        if not hasattr(net.opt, name):
            sys.exit("run_ncnn: ncnn %s has no option %s" % (ncnn.__version__, name))
        setattr(net.opt, name, value == "1")
    if net.load_param(param) != 0 or net.load_model(weights) != 0:
        sys.exit("run_ncnn: ncnn %s does not load %s" % (ncnn.__version__, param))
    return net


def picture(given):
    batch = np.load(given)
    assert batch.shape[0] == 1, "ncnn takes pictures one at a time"
    return ncnn.Mat(batch[0]).clone()


def extracted(extractor, blob, param):
    status, out = extractor.extract(blob)
    if status != 0:
        sys.exit("run_ncnn: ncnn %s fails with %d at %s in %s" % (ncnn.__version__, status, blob, param))
    return out


def main():
    param, weights, given, runs, blob, result, *options = sys.argv[1:]
    net, x = loaded(param, weights, options), picture(given)
    for wanted in ["out0"] * int(runs) + [blob]:
        extractor = net.create_extractor()
        extractor.input("in0", x)
        out = extracted(extractor, wanted, param)
    np.save(result, np.array(out))


if __name__ == "__main__":
    main()
