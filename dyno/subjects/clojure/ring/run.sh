#!/bin/sh
# Its libraries are the distribution's jars.
here=$(cd "$(dirname "$0")" && pwd)
jars=$OUT/classes
for jar in $(cat "$here/jars.conf"); do jars=$jars:/usr/share/java/$jar.jar; done
exec java ${DYNO_GC_LOG:+"-Xlog:gc:file=$DYNO_GC_LOG::filecount=0"} -Dorg.eclipse.jetty.util.log.announce=false -Dorg.eclipse.jetty.LEVEL=OFF -cp "$jars" server "$@"
