#!/bin/sh
host=127.0.0.1 port=8080
while [ $# -gt 1 ]; do
    case $1 in -host) host=$2 ;; -port) port=$2 ;; esac
    shift 2
done
flags="" lines=""
if [ -n "$DYNO_GC_LOG" ]; then
    # V8 prints its collections to standard output, which has nothing else, a line at a time.
    flags=--v8-flags=--trace-gc lines="stdbuf -oL"
    exec >"$DYNO_GC_LOG"
fi
cd "$OUT"
DENO_JOBS=$(nproc) DENO_DIR=$OUT/cache DENO_NO_UPDATE_CHECK=1 exec $lines "$(ls node_modules/@deno/linux-*/deno | head -n 1)" \
    serve $flags --quiet --parallel --no-prompt --cached-only --host "$host" --port "$port" server.ts
