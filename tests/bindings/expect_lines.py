#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that an example printed the lines of the demo's picture: expect_lines.py tests/demo/expected.json LINES"""
import json
import pathlib
import sys

expected = [(line["text"], line["score"]) for line in json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))[0]["lines"]]
found = [line.split(maxsplit=2) for line in pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()]
for number, ((text, score), line) in enumerate(zip(expected, found), 1):
    if line[0] != str(number) or line[2:] != [text] or abs(float(line[1]) - score) > 1.5e-3:
        sys.exit("line %d: %r, expected %r" % (number, line, (text, score)))
if len(found) != len(expected) or not expected:
    sys.exit("%d lines, expected %d" % (len(found), len(expected)))
