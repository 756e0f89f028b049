#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../launch/jdk.sh"
case ${WORK_TLAB:-on} in
on) tlab=-XX:+UseTLAB ;;
off) tlab=-XX:-UseTLAB ;;
*) echo "WORK_TLAB is $WORK_TLAB: set it to on or off" >&2 && exit 1 ;;
esac
exec "$jdk/bin/java" $tlab ${DYNO_GC_LOG:+"-Xlog:gc:file=$DYNO_GC_LOG::filecount=0"} -cp "$OUT/classes" service.Server "$@"
