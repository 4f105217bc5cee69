# SPDX-License-Identifier: Apache-2.0
"""Work in threads that begin together."""
import threading


def in_threads(count, function):
    """Runs function(i) in threads at once; the first exception, if any, is raised."""
    failures = []
    start = threading.Barrier(count)

    def guarded(i):
        try:
            start.wait()
            function(i)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
