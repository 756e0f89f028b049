#!/bin/sh
# As python/fastapi: packages beside the program, a worker for each CPU. The loop is asyncio's own:
# uvloop takes one new connection in each of its rounds, and leaves hundreds of 2,000 that come at
# once waiting for seconds.
here=$(cd "$(dirname "$0")" && pwd)
host=127.0.0.1 port=8080
while [ $# -gt 1 ]; do
    case $1 in -host) host=$2 ;; -port) port=$2 ;; esac
    shift 2
done
export PYTHONPATH="$OUT/lib:$here:$here/../dynoprobe" PYTHONDONTWRITEBYTECODE=1
exec python3 -m uvicorn app:app --host "$host" --port "$port" --workers "$(nproc)" --loop asyncio \
    --log-level warning --no-access-log --timeout-graceful-shutdown 2
