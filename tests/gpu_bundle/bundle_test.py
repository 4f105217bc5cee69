# SPDX-License-Identifier: Apache-2.0
"""scripts/gpu: reports, what is read of programs' outputs, limits of time, parameters by a rule."""
import argparse
import json
import pathlib
import struct
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/gpu"))
import parameters  # noqa: E402
import report  # noqa: E402
import run_gpu  # noqa: E402

GTEST = """[ RUN      ] A.Passes
[       OK ] A.Passes (3 ms)
[ RUN      ] A.Fails/1
x.cc:7: Failure
one is 1 | two is 2
[  FAILED  ] A.Fails/1, where GetParam() = 8 (0 ms)
[ RUN      ] A.Skips
[  SKIPPED ] A.Skips (0 ms)
[  FAILED  ] 1 test, listed below:
[  FAILED  ] A.Fails/1, where GetParam() = 8
"""
GOLDENS = """model                                        case               max error
zoo-a                                        image               1.00e-07  ok  [conv2d.cuda (3)]
zoo-b                                        batch3              2.00e+00   output 0 'x': 3 of 9 elements outside  [conv2d.cuda (3)]
2 cases, 1 failed, 0 with a wider bound for a known reason
"""


class Outputs(unittest.TestCase):
    def setUp(self):
        self.part = report.Part("part", 10)

    def names(self):
        return [failure["name"] for failure in self.part.failures]

    def test_gtest(self):
        run_gpu.take_gtest(self.part, "program", 1, GTEST)
        self.assertEqual((self.part.passed, self.names()), (1, ["A.Fails/1"]))
        self.assertIn("one is 1", self.part.failures[0]["detail"])
        self.assertEqual([left["name"] for left in self.part.left_out], ["A.Skips"])

    def test_a_program_that_crashes_or_has_no_time_left_is_a_failure(self):
        begun = "[ RUN      ] A.Passes\n[       OK ] A.Passes (3 ms)\n[ RUN      ] A.Crashes\n"
        run_gpu.take_gtest(self.part, "crashes", -11, begun)
        run_gpu.take_gtest(self.part, "late", None, begun)
        self.assertEqual((self.part.passed, self.names()), (2, ["crashes", "late"]))
        self.assertIn("signal 11, after A.Crashes began", self.part.failures[0]["detail"])
        self.assertIn("time of this part was over", self.part.failures[1]["detail"])

    def test_a_program_without_its_device_or_without_tests_is_a_failure(self):
        run_gpu.take_gtest(self.part, "skips", 0, "skipped: no device cuda: none\n")
        run_gpu.take_gtest(self.part, "ends", 1, "error while loading shared libraries\n")
        self.assertEqual((self.part.passed, self.names()), (0, ["skips", "ends"]))

    def test_goldens(self):
        run_gpu.take_goldens(self.part, 1, GOLDENS)
        self.assertEqual((self.part.passed, self.names()), (1, ["zoo-b/batch3"]))
        run_gpu.take_goldens(self.part, 77, "skipped: no GPU\n")
        self.assertEqual(self.names()[1:], ["golden_test"])

    def test_copies(self):
        row = {"batch": 10, "elements": "int64", "bytes": 41984, "rounds": 1}
        row.update({way: {"min_ms": 0.5, "median_ms": 1} for way in run_gpu.COPY_WAYS})
        run_gpu.take_copies(self.part, 0, json.dumps(row) + "\n")
        self.assertEqual((self.part.passed, self.names()), (1, []))
        table = self.part.tables[0]
        self.assertEqual(table["rows"][0], [10, "int64", 41984, *["0.5000 / 1.0000"] * 5])
        self.assertEqual({len(cells) for cells in table["rows"]}, {len(table["header"])})
        run_gpu.take_copies(self.part, 1, "coracle-bench-copies: input 3 did not arrive\n")
        self.assertIn("input 3 did not arrive", self.part.failures[0]["detail"])

    def test_a_command_ends_with_the_time_of_its_part(self):
        with tempfile.TemporaryDirectory() as folder:
            run = run_gpu.Run(argparse.Namespace(out=pathlib.Path(folder), quick=True), pathlib.Path(folder))
            run.end = time.monotonic() + 0.5
            self.assertEqual(run.call("sleeps", ["sh", "-c", "echo begun; sleep 60"]), (None, "begun\n"))
            self.assertTrue(run.is_over())
            self.assertIsNone(run_gpu.bench(run, self.part, "left out", []))
        self.assertEqual(self.part.left_out[0]["name"], "left out")

    def test_the_parts_fit_into_the_whole(self):
        self.assertEqual(list(run_gpu.PARTS), ["smoke", "goldens", "copies", "speed", "sanitizer", "amx"])
        self.assertLessEqual(sum(limit for _, limit in run_gpu.PARTS.values()), run_gpu.WHOLE_SECONDS)
        self.assertLess(run_gpu.WHOLE_SECONDS, 600)


class Reports(unittest.TestCase):
    def test_files(self):
        good, bad, none = (report.Part(name, 10) for name in ("good", "bad", "none"))
        good.check("a", True)
        good.table("Times", ["network", "ms"], [["a|b", "1.00"]])
        bad.check("b", True)
        bad.check("c", False, "two\nlines")
        bad.leave_out("d", "no time was left")
        none.skipped = "no device"
        with tempfile.TemporaryDirectory() as folder:
            report.write(pathlib.Path(folder), {"processor": "one"}, [good, bad, none], 12.34)
            text = (pathlib.Path(folder) / "report.md").read_text()
            whole = json.loads((pathlib.Path(folder) / "report.json").read_text())
        self.assertEqual((whole["passed"], whole["failed"], whole["seconds"], whole["machine"]), (2, 1, 12.3, {"processor": "one"}))
        self.assertEqual([p["skipped"] for p in whole["parts"]], [None, None, "no device"])
        self.assertEqual(whole["parts"][1]["failures"], [{"name": "c", "detail": "two\nlines"}])
        for line in ("| processor | one |", "2 passed, 1 failed, in 12 s", "| bad | 1 | 1 | 1 | 0 | 10 |", "| none | 0 | 0 | no device | 0 | 10 |",
                     "- failed: c: two lines", "- skipped: d: no time was left", "| a\\|b | 1.00 |"):
            self.assertIn(line + "\n", text)
        self.assertEqual(report.totals([good, bad, none]), "2 passed, 1 failed")
        self.assertEqual(none.line(), "none: skipped: no device")
        self.assertEqual(bad.line(), "bad: 1 passed, 1 failed, 1 skipped, 0 s")


def tensor(kind, dims, data, packed=False, levels=()):
    """As Paddle writes one; dimensions below 16,384."""
    number = lambda n: bytes([n & 127 | 128, n >> 7])  # noqa: E731
    listed = b"".join(map(number, dims))
    description = bytes([8, kind]) + (bytes([18, len(listed)]) + listed if packed else b"".join(b"\x10" + number(d) for d in dims))
    sequences = b"".join(struct.pack("<Q", len(level)) + level for level in levels)
    return struct.pack("<IQ", 0, len(levels)) + sequences + struct.pack("<Ii", 0, len(description)) + description + data


class Parameters(unittest.TestCase):
    def setUp(self):
        self.first = bytes(range(256)) * 16
        self.small = tensor(3, [2], b"sixteen bytes...", levels=(b"offsets.",))

    def test_a_tensor_repeats_its_first_bytes(self):
        whole = self.small + tensor(5, [100, 41], self.first + bytes(100 * 41 * 4 - 4096)) + tensor(22, [2100], self.first + bytes(104), packed=True)
        short = parameters.shorten(whole)
        expected = self.small + tensor(5, [100, 41], (self.first * 5)[:16400]) + tensor(22, [2100], self.first + self.first[:104], packed=True)
        self.assertLess(len(short), 2 * 4096 + 200)
        self.assertEqual(parameters.expand(short), expected)
        self.assertEqual(parameters.shorten(expected), short)

    def test_what_is_cut_off_or_unknown_is_refused(self):
        with self.assertRaisesRegex(ValueError, "ends inside of the tensor at byte 0"):
            parameters.shorten(self.small[:-1])
        with self.assertRaisesRegex(ValueError, "has the type 9"):
            parameters.shorten(tensor(9, [1], b"12345678"))


if __name__ == "__main__":
    unittest.main()
