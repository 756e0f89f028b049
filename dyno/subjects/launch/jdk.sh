# Sourced by subjects that need a newer JDK than a distribution's default may be. $jdk is the
# newest there is: what JAVA_HOME names, what java is, or one beside it.
java=$(readlink -f "$(command -v java)")
jdk=$(for home in "$JAVA_HOME" "${java%/bin/java}" /usr/lib/jvm/*; do
    version=$(sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$home/release" 2>/dev/null || true)
    [ -z "$version" ] || echo "$version $home"
done | sort -V | tail -n 1)
jdk=${jdk#* }
