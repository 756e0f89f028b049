#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../launch/beam.sh"
exec elixir --erl "$beam" -pa "$OUT" --no-halt -e "Server.main()" -- "$@"
