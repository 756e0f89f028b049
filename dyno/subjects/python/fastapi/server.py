"""The subject python/fastapi: FastAPI on uvicorn with one worker for each CPU."""

import argparse
import os

import uvicorn

if __name__ == "__main__":
    flags = argparse.ArgumentParser()
    flags.add_argument("-host", default="127.0.0.1")
    flags.add_argument("-port", type=int, default=8080)
    args = flags.parse_args()
    uvicorn.run(
        "app:app",
        host=args.host,
        port=args.port,
        workers=len(os.sched_getaffinity(0)),
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=2,
    )
