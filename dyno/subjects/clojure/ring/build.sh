#!/bin/sh
# Compiles ahead of time, as a service is delivered.
set -e
mkdir -p "$OUT/classes"
jars=$OUT/classes:.
for jar in $(cat jars.conf); do jars=$jars:/usr/share/java/$jar.jar; done
java -cp "$jars" -Dclojure.compile.path="$OUT/classes" clojure.main -e "(compile 'server)"
