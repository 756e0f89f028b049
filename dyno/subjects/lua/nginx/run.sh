#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../launch/nginx.sh"
fill nginx.conf -e "s|@LUA@|$(dirname "$(ls /usr/lib/*/lua/5.1/cjson.so | head -n 1)")|g"
serve
