"""Tells dyno of CPython's collections, where DYNO_PROBE_SOCKET names a socket.

A process that is measured imports it for its effect. What counts references is no
collection: only the search for cycles stops a program. dyno/docs/add-a-language.md describes
what is said.
"""

import gc
import json
import os
import socket
import threading
import time


class Collections:
    """What the collector did so far; times are in nanoseconds."""

    def __init__(self) -> None:
        self.cycles = self.pause = self.longest = self.began = 0

    def __call__(self, phase: str, info: dict) -> None:
        now = time.perf_counter_ns()
        if phase == "start":
            self.began = now
            return
        took = now - self.began
        self.cycles += 1
        self.pause += took
        if took > self.longest:
            self.longest = took


def tell(address: str) -> None:
    """Responds until dyno has gone, or says something else than "sample"."""
    collections, took = Collections(), 0.0
    with socket.socket(socket.AF_UNIX) as conn:
        try:
            conn.connect(address)
            gc.callbacks.append(collections)
            tells = ["gc_cycles", "gc_pause", "gc_pause_max", "helper_us"]
            send(conn, {"dynoprobe": 1, "pid": os.getpid(), "tells": tells})
            for line in conn.makefile("rb"):
                if line != b"sample\n":
                    break
                began = time.perf_counter_ns()
                send(
                    conn,
                    {
                        "mono": time.monotonic_ns(),
                        "gc_cycles": collections.cycles,
                        "gc_pause_s": collections.pause / 1e9,
                        "gc_pause_max_s": collections.longest / 1e9,
                        "self_us": took,
                    },
                )
                collections.longest = 0
                took = (time.perf_counter_ns() - began) / 1e3
        except OSError:
            pass
        finally:
            if collections in gc.callbacks:
                gc.callbacks.remove(collections)


def send(conn: socket.socket, value: dict) -> None:
    conn.sendall(json.dumps(value).encode() + b"\n")


if address := os.environ.get("DYNO_PROBE_SOCKET"):
    threading.Thread(target=tell, args=(address,), name="dynoprobe", daemon=True).start()
