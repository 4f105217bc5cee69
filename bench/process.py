# SPDX-License-Identifier: Apache-2.0
"""A worker process (worker.py) as the driver sees it. It is stopped (SIGSTOP) whenever it has nothing to do, so that an engine's
threads that spin for a while after a run do not take a core from another engine."""
import json
import os
import select
import signal
import subprocess

from models import BENCH

TIMEOUT_SECONDS = 300


class Failed(Exception):
    """The engine refused, crashed or took too long; says which."""


class Process:
    def __init__(self, python, log, environment):
        self.log = open(log, "w")
        self.process = subprocess.Popen([str(python), str(BENCH / "worker.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, text=True, env={**os.environ, **environment})

    def ask(self, do, **arguments):
        """Sends a command and gives its answer. The worker is stopped before and after."""
        os.kill(self.process.pid, signal.SIGCONT)
        try:
            self.process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], TIMEOUT_SECONDS)[0]:
                raise Failed("no answer to '%s' in %d s" % (do, TIMEOUT_SECONDS))
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            code = self.process.wait()
            raise Failed("the process ended with %s" % (signal.Signals(-code).name if code < 0 else "status %d" % code))
        answer = json.loads(line)
        if "error" in answer:
            raise Failed(answer["error"].strip().splitlines()[0])
        os.kill(self.process.pid, signal.SIGSTOP)
        return answer

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.log.close()
