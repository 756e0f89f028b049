#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
host=127.0.0.1 port=8080
while [ $# -gt 1 ]; do
    case $1 in -host) host=$2 ;; -port) port=$2 ;; esac
    shift 2
done
cd "$here"
# Ruby 3.1 would touch 256 MiB for compiled code in each worker; newer ones start with 64.
exec ruby --yjit --yjit-exec-mem-size=64 -S puma --quiet --config puma.rb --bind "tcp://$host:$port" config.ru >/dev/null # its banner
