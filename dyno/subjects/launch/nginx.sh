# Sourced by run.sh of subjects behind nginx, or in it, with $here, their folder.
# nginx and what is behind it are sessions of their own, and are asked to end with
# SIGQUIT as a distribution's services are, by which they finish what is under way.
host=127.0.0.1 port=8080 dir=$(mktemp -d) services=""
while [ $# -gt 1 ]; do
    case $1 in -host) host=$2 ;; -port) port=$2 ;; esac
    shift 2
done

# fill FILE [SED OPTIONS]: puts a configuration into $dir, with its @NAMES@ replaced.
fill() {
    file=$1
    shift
    sed -e "s|@DIR@|$dir|g" -e "s|@HERE@|$here|g" -e "s|@LISTEN@|$host:$port|g" -e "s|@CPUS@|$(nproc)|g" "$@" \
        "$here/$file" >"$dir/$file"
}

# service COMMAND...: starts a service; the last one is ended first.
service() {
    setsid "$@" &
    services="$! $services"
}

# end ends all services and removes their files.
end() {
    trap '' TERM INT
    exec 2>/dev/null # the shell would name each process that it was told to end
    for pid in $services; do
        kill "-${ending:-QUIT}" "$pid" 2>/dev/null
        wait "$pid"
    done
    rm -rf "$dir"
    exit 0
}
trap end TERM INT

# serve: starts nginx and waits until it has ended, or all are to. Started by root, its
# workers stay that: another user could not reach $dir.
serve() {
    user=""
    [ "$(id -u)" != 0 ] || user="user root;"
    service nginx -c "$dir/nginx.conf" -g "$user" -e stderr
    wait "${services%% *}"
    end
}
