#!/bin/sh
# run.sh PORT UPSTREAM: starts Envoy with envoy.yaml, whose @…@ are filled in, and removes
# its file when it has ended.
set -eu
file=$(mktemp --suffix=.yaml)
sed -e "s|@PORT@|$1|g; s|@HOST@|${2%:*}|g; s|@TO@|${2##*:}|g" "$OUT/envoy.yaml" >"$file"
"$OUT/envoy" --config-path "$file" --concurrency "$(nproc)" --log-level error --disable-hot-restart &
envoy=$!
trap 'kill -TERM $envoy' TERM INT
wait $envoy || true
wait $envoy 2>/dev/null || true
rm -f "$file"
