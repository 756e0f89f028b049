#!/bin/sh
# The package's script, which would put Bun where npm finds it, is not run.
here=$(cd "$(dirname "$0")" && pwd)
bun=$(ls "$OUT"/node_modules/@oven/bun-linux-*/bin/bun | head -n 1)
exec sh "$here/../../launch/each-cpu.sh" "$bun" run --bun "$OUT/server.ts" "$@"
