# SPDX-License-Identifier: Apache-2.0
"""ProgramDesc bytes for a process that runs Paddle 3.3, whose Python API no longer writes them: a child with Paddle 2.6,
named by the environment variable PADDLE_26_PYTHON, builds them. Run as a module, this is that child."""

import os
import pickle
import struct
import subprocess
import sys

_child = None


def _send(stream, value):
    data = pickle.dumps(value)
    stream.write(struct.pack("<Q", len(data)) + data)
    stream.flush()


def _receive(stream):
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    return pickle.loads(stream.read(struct.unpack("<Q", head)[0]))


def described(program):
    """The bytes that Paddle 2.6 writes for a program. Raises ValueError if it refuses."""
    global _child
    if _child is None or _child[0] != os.getpid() or _child[1].poll() is not None:
        command = [os.environ["PADDLE_26_PYTHON"], "-m", "programs.describe"]
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        started = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        _child = (os.getpid(), started)
    try:
        _send(_child[1].stdin, program)
        done, result = _receive(_child[1].stdout)
    except (EOFError, BrokenPipeError):
        _child[1].wait()
        raise ValueError("Paddle 2.6 crashed") from None
    if not done:
        raise ValueError(result)
    return result


def main():
    os.environ["FLAGS_enable_pir_api"] = "0"
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    import paddle

    from programs import build

    paddle.enable_static()
    while True:
        try:
            program = _receive(sys.stdin.buffer)
        except EOFError:
            return
        try:
            with paddle.utils.unique_name.guard():
                _send(answers, (True, build.described(program)))
        except Exception as error:
            _send(answers, (False, "%s: %s" % (type(error).__name__, error)))


if __name__ == "__main__":
    main()
