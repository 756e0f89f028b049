#!/bin/sh
exec java ${DYNO_GC_LOG:+"-Xlog:gc:file=$DYNO_GC_LOG::filecount=0"} -cp "$OUT/classes:$OUT/lib/*" service.ServerKt "$@"
