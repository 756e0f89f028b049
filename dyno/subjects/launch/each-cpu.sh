#!/bin/sh
# Runs a command once for each CPU it may use, for servers whose processes share a port
# (SO_REUSEPORT), and ends when all of them have ended.
pids=""
trap 'exec 2>/dev/null; kill -TERM $pids' TERM INT # the shell would name each that it was told to end
for _ in $(seq "$(nproc)"); do
    "$@" &
    pids="$pids $!"
done
wait $pids # until they end, or a signal comes
wait $pids
