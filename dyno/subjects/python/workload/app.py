"""Pieces of work that claims are about, in FastAPI."""

import asyncio
import os
import time

import dynoprobe  # noqa: F401, for its effect in each worker
from fastapi import FastAPI
from fastapi.responses import PlainTextResponse

THREADS = os.environ.get("WORK_THREADS") or "user"
WAIT = float(os.environ.get("WORK_WAIT_MS") or "20") / 1e3  # seconds

if THREADS not in ("user", "kernel"):
    raise SystemExit(f"WORK_THREADS is {THREADS}: set it to user or kernel")


app = FastAPI(openapi_url=None)


@app.get("/plaintext", response_class=PlainTextResponse)
async def plaintext() -> str:
    return "Hello, World!"


@app.get("/none", response_class=PlainTextResponse)
async def none() -> str:
    return "0"


async def wait_in_loop() -> str:
    """A task of asyncio's, which is what FastAPI has for each request."""
    await asyncio.sleep(WAIT)
    return "0"


def wait_in_thread() -> str:
    """FastAPI runs what is not async on threads, which are 40 unless it is told otherwise.

    With one for each of 2,000 requests they get nothing done: each that waits for the
    interpreter wakes up every 5 ms to ask for it.
    """
    time.sleep(WAIT)
    return "0"


app.get("/wait", response_class=PlainTextResponse)(wait_in_loop if THREADS == "user" else wait_in_thread)
