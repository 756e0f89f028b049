#!/bin/sh
# Packages are beside the program rather than in a virtual environment, which could not
# be moved.
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONPATH="$OUT/lib:$here:$here/../fastapi:$here/../dynoprobe" PYTHONDONTWRITEBYTECODE=1
exec python3 "$here/server.py" "$@"
