#!/bin/sh
exec "$OUT/server" -processes "$(nproc)" "$@"
