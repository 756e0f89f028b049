#!/bin/sh
set -e
. ../../launch/jdk.sh
"$jdk/bin/javac" --release 21 -d "$OUT/classes" src/*.java
