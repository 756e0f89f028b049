#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../launch/nginx.sh"
ending=TERM # R has no better one
fill nginx.conf
for i in $(seq "$(nproc)"); do
    echo "server unix:$dir/r$i.sock;" >>"$dir/upstream.conf"
    service Rscript --vanilla "$here/server.R" "$here/api.R" "$dir/r$i.sock"
done
for i in $(seq "$(nproc)"); do
    while [ ! -S "$dir/r$i.sock" ] && kill -0 "$!"; do sleep 0.05; done
done
serve
