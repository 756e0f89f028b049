#!/bin/sh
# run.sh PORT UPSTREAM: starts nginx with nginx.cfg, whose @…@ are filled in, and removes
# its files when it has ended.
set -eu
dir=$(mktemp -d)
sed -e "s|@PORT@|$1|g; s|@UPSTREAM@|$2|g; s|@DIR@|$dir|g; s|@CPUS@|$(nproc)|g; s|@FILES@|$(ulimit -n)|g" "$OUT/nginx.cfg" >"$dir/nginx.conf"
nginx -p "$dir" -e stderr -c "$dir/nginx.conf" &
nginx=$!
trap 'kill -QUIT $nginx' TERM INT
wait $nginx || true
wait $nginx 2>/dev/null || true
rm -rf "$dir"
