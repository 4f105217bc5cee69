#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints attributes.txt: what PaddleClas says of made-up scores, a line for each seed, with names as attributes_test.cc has them:

    make_attributes.py deploy/python/postprocess.py      (of PaddleClas, where NumPy and Paddle are installed)"""
import importlib.util
import re
import sys

from made_up_numbers import made_up_numbers

SEEDS = 24


def person(found):
    labels = []
    for text in found["attributes"]:
        group, _, names = text.partition(":")
        labels += names.split() if group in ("Upper", "Lower") else [text]
    return labels


def vehicle(found):
    text = re.sub(r"(\w+): \((\w+), prob: [^)]*\)", r"\1: \2", found["attributes"])
    return text.split(", ")


def main():
    spec = importlib.util.spec_from_file_location("postprocess", sys.argv[1])
    clas = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(clas)
    kinds = {"PersonAttribute": (clas.PersonAttribute(), 26, person), "VehicleAttribute": (clas.VehicleAttribute(0.9, 0.9), 19, vehicle),
             "TableAttribute": (clas.TableAttribute(), 6, lambda found: found["attributes"]),
             "ThreshOutput2": (clas.ThreshOutput(0.6, label_0="no", label_1="yes"), 2, lambda found: found["label_names"]),
             "ThreshOutput4": (clas.ThreshOutput(0.8, default_label_index=2), 4, lambda found: map(str, found["class_ids"]))}
    for name, (step, classes, labels) in kinds.items():
        for seed in range(1, SEEDS + 1):
            print("|".join([name, str(seed), *labels(step(made_up_numbers(seed, classes)[None])[0])]))


main()
