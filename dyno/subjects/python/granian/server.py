"""The subject python/granian: the application of python/fastapi on granian."""

import argparse
import os

from granian import Granian
from granian.constants import Interfaces

if __name__ == "__main__":
    flags = argparse.ArgumentParser()
    flags.add_argument("-host", default="127.0.0.1")
    flags.add_argument("-port", type=int, default=8080)
    args = flags.parse_args()
    Granian(
        "app:app",
        address=args.host,
        port=args.port,
        interface=Interfaces.ASGI,
        workers=len(os.sched_getaffinity(0)),
        log_enabled=False,
        workers_kill_timeout=2,
    ).serve()
