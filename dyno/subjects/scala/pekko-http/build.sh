#!/bin/sh
# Maven brings the libraries and the compiler, which is run without a plugin for Maven.
set -e
mvn --batch-mode --quiet dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$OUT/lib"
mvn --batch-mode --quiet dependency:copy-dependencies -DoutputDirectory=all
mkdir -p "$OUT/classes"
java -cp "all/*" dotty.tools.dotc.Main -release 17 -classpath "$(ls "$OUT"/lib/*.jar | tr '\n' ':')" -d "$OUT/classes" src/*.scala
rm -rf all target
