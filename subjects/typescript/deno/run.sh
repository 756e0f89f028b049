#!/bin/sh
# deno serve has no way to end gently: SIGTERM ends it, and its handlers don't wait.
host=127.0.0.1 port=8080
while [ $# -gt 1 ]; do
    case $1 in -host) host=$2 ;; -port) port=$2 ;; esac
    shift 2
done
cd "$OUT"
DENO_JOBS=$(nproc) DENO_DIR=$OUT/cache DENO_NO_UPDATE_CHECK=1 exec "$(ls node_modules/@deno/linux-*/deno | head -n 1)" \
    serve --quiet --parallel --no-prompt --cached-only --host "$host" --port "$port" server.ts
