#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../launch/nginx.sh"
fill nginx.conf
fill fpm.conf -e "s|@CHILDREN@|$((8 * $(nproc)))|g"
fpm=$(command -v php-fpm || ls /usr/sbin/php-fpm* | tail -n 1)
service "$fpm" --nodaemonize --allow-to-run-as-root --fpm-config "$dir/fpm.conf" --php-ini "$here/php.ini"
while [ ! -S "$dir/fpm.sock" ] && kill -0 "$!"; do sleep 0.01; done
serve
