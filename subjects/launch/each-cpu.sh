#!/bin/sh
# Runs a command once for each CPU it may use, for servers whose processes share a port
# (SO_REUSEPORT), and ends when all of them have ended.
pids=""
trap 'kill -TERM $pids 2>/dev/null' TERM INT
for _ in $(seq "$(nproc)"); do
    "$@" &
    pids="$pids $!"
done
wait $pids # until they end, or a signal comes
wait $pids
