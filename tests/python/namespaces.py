# SPDX-License-Identifier: Apache-2.0
"""Machines of a network inside this one: network namespaces on a bridge, with addresses and links of their own. Needs root and iproute2."""
import os
import pathlib
import shutil
import signal
import subprocess

import pytest


def ip(*words):
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout


class Network:
    """So many machines, which reach each other and this one; skips where they cannot be made. Whatever runs in them is killed when it ends."""

    def __init__(self, machines):
        if shutil.which("ip") is None:
            pytest.skip("ip is not installed (Debian: iproute2)")
        self._bridge = "co%d" % os.getpid()
        net = "198.%d.%d." % divmod(18 * 256 + os.getpid() % 512, 256)   # of those that are for tests of networks (RFC 2544)
        self.address, self.addresses = net + "1", [net + str(2 + number) for number in range(machines)]
        try:
            self._make()
        except BaseException:
            self.close()
            raise

    def _make(self):
        try:
            ip("netns", "add", self._name(0))
            ip("link", "add", self._bridge, "type", "bridge")
        except subprocess.CalledProcessError as error:
            pytest.skip("network namespaces cannot be made here, they need root: " + error.stderr.strip())
        ip("address", "add", self.address + "/24", "dev", self._bridge)
        ip("link", "set", self._bridge, "up")
        for number, address in enumerate(self.addresses):
            if number > 0:
                ip("netns", "add", self._name(number))
            ip("link", "add", self._name(number), "type", "veth", "peer", "name", "eth0", "netns", self._name(number))
            ip("link", "set", self._name(number), "master", self._bridge, "up")
            ip("-n", self._name(number), "address", "add", address + "/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                ip("-n", self._name(number), "link", "set", device, "up")

    def _name(self, number):
        """Of a machine's namespace, and of the bridge's end of its link."""
        return "%s.%d" % (self._bridge, number)

    def on(self, number):
        """The words before a command that is to run on a machine."""
        return ["ip", "netns", "exec", self._name(number)]

    def cut(self, number):
        ip("link", "set", self._name(number), "down")

    def mend(self, number):
        ip("link", "set", self._name(number), "up")

    def processes(self, number, name=None):
        """The ids of a machine's processes, or of those with this name."""
        found = [int(word) for word in ip("netns", "pids", self._name(number)).split()]
        return [pid for pid in found if name in (None, _name_of(pid))]

    def close(self):
        for number in range(len(self.addresses)):
            try:
                for pid in self.processes(number):
                    os.kill(pid, signal.SIGKILL)
            except (subprocess.CalledProcessError, ProcessLookupError):
                pass
            # The link itself: a namespace goes later than its name does.
            for words in (("link", "delete"), ("netns", "delete")):
                subprocess.run(["ip", *words, self._name(number)], stderr=subprocess.DEVNULL)
        subprocess.run(["ip", "link", "delete", self._bridge], stderr=subprocess.DEVNULL)


def _name_of(pid):
    try:
        return pathlib.Path("/proc/%d/comm" % pid).read_text().strip()
    except OSError:
        return None
