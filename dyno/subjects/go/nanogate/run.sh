#!/bin/sh
# run.sh PORT UPSTREAM: starts nanogate with the file that the environment asks for.
set -eu
options=""
[ -z "${GATEWAY_TIMEOUT-}" ] || [ "$GATEWAY_TIMEOUT" = 0s ] || options="$options, timeout: $GATEWAY_TIMEOUT"
[ -z "${GATEWAY_LIMIT-}" ] || options="$options, limit: {rate: $GATEWAY_LIMIT/s, key: client-ip}"
[ "${GATEWAY_SHED:-0}" = 0 ] || options="$options, concurrency: $GATEWAY_SHED"
[ "${GATEWAY_BREAKER:-0}" = 0 ] || options="$options, breaker: {errors: $GATEWAY_BREAKER%, over: 10s, least: 20, open: ${GATEWAY_BREAKER_SLEEP:-30s}}"
[ -z "${GATEWAY_OPEN_FILES-}" ] || ulimit -n "$GATEWAY_OPEN_FILES"
jwt="jwt: {secret: $OUT/secret, issuer: dyno, audience: gateway}"
file=$(mktemp)
cat >"$file" <<END
listen: 127.0.0.1:$1
routes:
  - {name: health, match: {path: /health}, respond: {status: 200, type: text/plain, body: ok}}
  - {name: plaintext, match: {path: /plaintext}, to: service$options}
  - {name: users, match: {path: "/users/*"}, $jwt, to: service$options}
  - {name: api, match: {path: "/api/*"}, $jwt, to: service$options}
upstreams:
  service: ["$2"]
END
# The file goes when it is open: nothing is left behind, however this ends.
exec 3<"$file"
rm "$file"
exec "$OUT/nanogate" run --log-level WARN -c /dev/fd/3
