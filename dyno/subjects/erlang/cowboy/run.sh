#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../launch/beam.sh"
exec erl $beam -pa "$OUT" -s server main -extra "$@"
