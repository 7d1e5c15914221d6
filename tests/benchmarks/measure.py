"""Seconds and peak memory of a call."""

from __future__ import annotations

import os
import threading
import time


def timed(function, *arguments, **options):
    start = time.perf_counter()
    result = function(*arguments, **options)
    return time.perf_counter() - start, result


def peak_memory(function):
    """Result and peak of resident memory (bytes) above what was there before."""
    page = os.sysconf("SC_PAGE_SIZE")

    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * page

    before, peak, done = resident(), 0, threading.Event()

    def watch():
        nonlocal peak
        while not done.wait(0.005):
            peak = max(peak, resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        result = function()
    finally:
        done.set()
        watcher.join()
    return result, peak - before
