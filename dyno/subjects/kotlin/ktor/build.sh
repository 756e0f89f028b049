#!/bin/sh
# Maven brings the libraries and the compiler, which is run without its plugin for Maven.
set -e
mvn --batch-mode --quiet dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$OUT/lib"
mvn --batch-mode --quiet dependency:copy-dependencies -DoutputDirectory=all
plugin=$(ls all/kotlin-serialization-compiler-plugin-embeddable-*.jar)
java -cp "all/*" org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect -nowarn -jvm-target 17 \
    -Xplugin="$plugin" -cp "$(ls "$OUT"/lib/*.jar | tr '\n' ':')" -d "$OUT/classes" src/*.kt
rm -rf all target
