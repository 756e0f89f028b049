#!/bin/sh
exec java -cp "$OUT/classes:$OUT/lib/*" service.Server "$@"
