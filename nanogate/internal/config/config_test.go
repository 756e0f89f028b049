package config

import (
	"strings"
	"testing"
	"time"
)

const whole = `
listen: 127.0.0.1:8080
trust: [10.0.0.0/8, 192.0.2.7]
forwarded: both
client: {head: 32KiB, body: 10MiB, idle: 30s}
routes:
  - name: api
    match: {host: [api.example.com, "*.api.example.com"], path: "/users/{id}/*", methods: [GET, POST], headers: {X-Version: "2*"}, query: {debug: "!"}}
    priority: 5
    timeout: 150ms
    rewrite: /v2/{id}/{rest}
    request-headers: {set: {X-Env: prod}, remove: [X-Debug]}
    retry: {attempts: 3, on: [connect, reset, 503], budget: 10%}
    sticky: {cookie: instance, for: 1h}
    to: {users: 95, canary: 5}
  - match: {path: /old}
    redirect: {to: "https://{host}/new{query}", status: 301}
  - match: {path: "/*"}
    to: http://127.0.0.1:9009
upstreams:
  users:
    endpoints: ["http://127.0.0.1:9001", {url: "http://127.0.0.1:9002", weight: 3}]
    balance: {hash: {header: X-User}}
  canary: ["127.0.0.1:9003", "unix:/run/canary"]
`

func TestParse(t *testing.T) {
	c, err := Parse("f.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	r := c.Routes[0]
	for what, ok := range map[string]bool{
		"listen":    c.Listen[0].Address == "127.0.0.1:8080" && c.Listen[0].At.Line == 2,
		"trust":     len(c.Trust) == 2 && c.Trust[1].String() == "192.0.2.7/32",
		"forwarded": c.Forwarded == ForwardedBoth,
		"client":    c.Client.Head == 32<<10 && c.Client.Body == 10<<20 && c.Client.Idle == 30*time.Second && c.Client.Fields == 100,
		"names":     r.Name == "api" && c.Routes[1].Name == "route-2",
		"host":      len(r.Match.Hosts) == 2 && r.Match.Hosts[1] == "*.api.example.com",
		"params":    strings.Join(r.Match.Path.Params(), " ") == "id rest",
		"headers":   r.Match.Headers[0] == Condition{"x-version", "2", Begins},
		"query":     r.Match.Query[0] == Condition{"debug", "", Absent},
		"timeout":   r.Timeout == 150*time.Millisecond && r.Priority == 5,
		"rewrite":   len(r.Rewrite.Parts) == 4 && r.Rewrite.Parts[3].Name == "rest",
		"edit":      r.Request.Set[0] == Field{"X-Env", "prod"} && r.Request.Remove[0] == "x-debug",
		"retry":     r.Retry.Attempts == 3 && r.Retry.Statuses[0] == 503 && r.Retry.Budget == 0.1,
		"weights":   r.To[0].Weight == 95 && r.To[1].Upstream == "canary",
		"redirect":  c.Routes[1].Redirect.Status == 301,
		"direct":    c.Routes[2].To[0].Direct.Endpoints[0].Address.String() == "127.0.0.1:9009",
		"endpoints": c.Upstreams[0].Endpoints[1].Weight == 3 && c.Upstreams[1].Endpoints[1].Address.Unix == "/run/canary",
		"balance":   c.Upstreams[0].Balance.Kind == Hash && c.Upstreams[0].Balance.Name == "x-user",
	} {
		if !ok {
			t.Errorf("%s was read otherwise: %+v", what, c)
		}
	}
}

// One line of each file is wrong; the message says where, what, and what was meant.
func TestProblems(t *testing.T) {
	const head, tail = "listen: 127.0.0.1:80\nroutes:\n", "upstreams: {users: {endpoints: [\"http://127.0.0.1:1\"]}}\n"
	route := func(text string) string { return head + "  - " + text + "\n" + tail }
	for _, c := range []struct{ name, src, want string }{
		{"empty", "", "f.yaml: expected a configuration, got an empty file (start it with: listen: 127.0.0.1:8080)"},
		{"syntax", "listen: [", "f.yaml:1: expected YAML: did not find expected node content"},
		{"two documents", "a: 1\n---\nb: 1\n", "f.yaml:2: expected YAML: one document a file, and this is the second"},
		{"unknown", head + "  - {to: users}\nupsteams: {}\n" + tail, `f.yaml:4:1: upsteams: unknown field (did you mean "upstreams"?)`},
		{"no routes", "listen: 127.0.0.1:80\n", `f.yaml:1:1: there are no routes (add: routes: [{match: {path: "/*"}, to: http://127.0.0.1:9000}])`},
		{"twice", route("{to: users, to: users}"), "f.yaml:3:17: routes[0].to: the field is given twice (remove one of them)"},
		{"no upstream", route("{to: user}"), `f.yaml:3:10: routes[0].to: there is no upstream "user" (did you mean "users"?)`},
		{"no target", route("{match: {path: /}}"), "f.yaml:3:5: routes[0]: a route has exactly one of to, redirect and respond, this one has none (such as to: users)"},
		{"two ends", route("{to: users, redirect: /x}"), "f.yaml:3:5: routes[0]: a route has exactly one of to, redirect and respond, this one has to and redirect (such as to: users)"},
		{"goes with to", route("{respond: {status: 204}, timeout: 1s}"), "f.yaml:3:39: routes[0].timeout: timeout goes with to, and this route has respond (remove it)"},
		{"cache", route("{to: users, keys: {file: k}, cache: {}}"), "f.yaml:3:41: routes[0].cache: the upstream knows who asks by keys, and what is stored is given to everybody (say shared: true if all who may ask get the same)"},
		{"cache size", "listen: 127.0.0.1:80\ncache: {size: 1MiB}\nroutes: [{to: users}]\n" + tail, "f.yaml:2:8: cache: one response may be a quarter of all that is stored, 262144 bytes, and object is 1048576 (make size larger, or object smaller)"},
		{"cache targets", route("{to: users, cache: {targets: [max-age]}}"), "f.yaml:3:35: routes[0].cache.targets[0]: expected a field that targets caches, which ends in -Control, got \"max-age\" (such as CDN-Cache-Control)"},
		{"cache targets of all", route("{to: users, cache: {targets: [Cache-Control]}}"), "f.yaml:3:35: routes[0].cache.targets[0]: Cache-Control counts anyway, when none of the others is there (remove it)"},
		{"cache targets twice", route("{to: users, cache: {targets: [CDN-Cache-Control, cdn-cache-control]}}"), "f.yaml:3:54: routes[0].cache.targets[1]: the field is given twice (remove one of them)"},
		{"cache without an upstream", route("{redirect: https://h/, cache: {}}"), "f.yaml:3:35: routes[0].cache: cache goes with to, and this route has redirect (remove it)"},
		{"jwt", route("{to: users, jwt: {}}"), "f.yaml:3:22: routes[0].jwt: jwt needs its keys from exactly one of jwks and secret (such as jwks: ./jwks.json, or jwks: https://id.example/.well-known/jwks.json)"},
		{"jwks", route(`{to: users, jwt: {jwks: "http://id.example/keys"}}`), "f.yaml:3:29: routes[0].jwt.jwks: keys that come over plain http could be anybody's: only this machine's own addresses are taken (write https://)"},
		{"forward", route(`{to: users, jwt: {jwks: k, forward: {"x user": sub}}}`), `f.yaml:3:42: routes[0].jwt.forward.x user: expected the name of a header field, got "x user" (such as {x-user: sub})`},
		{"keys", route("{to: users, keys: {header: x-key}}"), `f.yaml:3:23: routes[0].keys: keys need a file (such as file: ./keys.txt, with a line "name: key" for each)`},
		{"allow", route("{to: users, allow: []}"), "f.yaml:3:24: routes[0].allow: the list is empty, which could mean nobody or everybody (remove it, or name networks such as 10.0.0.0/8)"},
		{"basic", route("{to: users, basic: {realm: x}}"), `f.yaml:3:24: routes[0].basic: basic needs a file of passwords (such as file: ./htpasswd, written by: htpasswd -B -c htpasswd ann)`},
		{"realm", route("{to: users, basic: {file: f, realm: 'a\"b'}}"), `f.yaml:3:41: routes[0].basic.realm: expected plain letters without quotes, got "a\"b" (such as realm: intern)`},
		{"basic and jwt", route("{to: users, basic: {file: f}, jwt: {jwks: k}}"), `f.yaml:3:24: routes[0].basic: basic and jwt both want to be what Authorization holds (have jwt read its token from a cookie)`},
		{"redis", route("{name: a, to: users, limit: {rate: 1/s, redis: {every: 1s}}}"), `f.yaml:3:52: routes[0].limit.redis: redis needs an address (such as redis: {address: 127.0.0.1:6379})`},
		{"redis address", route("{name: a, to: users, limit: {rate: 1/s, redis: redis}}"), `f.yaml:3:52: routes[0].limit.redis: expected the address of a Redis server, got "redis" (such as 127.0.0.1:6379 or unix:/run/redis.sock)`},
		{"redis name", route("{to: users, limit: {rate: 1/s, redis: 127.0.0.1:6379}}"), `f.yaml:3:5: routes[0]: a limit that gateways share is known by its route's name, and this one has none (add a name: the same in all gateways)`},
		{"identity", route("{to: users, identity: {x-user-id: jwt.sub}}"), `f.yaml:3:39: routes[0].identity.x-user-id: x-user-id is to come from jwt.sub, and nothing on this route verifies that (add jwt to the route)`},
		{"canary", route("{to: users, canary: {weight: 1%}}"), "f.yaml:3:25: routes[0].canary: a canary needs to: where its requests are sent (such as {to: users-next, weight: 5%})"},
		{"canary weight", route("{to: users, canary: {to: users}}"), "f.yaml:3:25: routes[0].canary: a canary has one of weight and steps (such as weight: 5%)"},
		{"canary sticky", route("{to: users, canary: {to: users, weight: 1%, sticky: 1h}}"), "f.yaml:3:57: routes[0].canary.sticky: sticky needs the cookie that it is kept in (add cookie: release)"},
		{"canary steps", route("{to: users, canary: {to: users, steps: [{weight: 1%}, {weight: 5%}]}}"), "f.yaml:3:45: routes[0].canary.steps[0]: a step that others follow needs for (such as {weight: 5%, for: 10m})"},
		{"canary errors", route("{to: users, canary: {to: users, weight: 1%, roll-back: {errors: 0.5}}}"), `f.yaml:3:69: routes[0].canary.roll-back.errors: expected a number of times from 1 to 1000, got "0.5" (such as 1.5: half as often again)`},
		{"canary slower", route("{to: users, canary: {to: users, weight: 1%, roll-back: {slower: 2}}}"), "f.yaml:3:69: routes[0].canary.roll-back.slower: slower needs slow: from when a response is slow (add slow: 300ms)"},
		{"mirror", route("{to: users, mirror: {share: 1%}}"), "f.yaml:3:25: routes[0].mirror: a mirror needs to: the upstream or URL that gets the copies (such as {to: users-next, share: 10%})"},
		{"mirror to", route("{to: users, mirror: user}"), `f.yaml:3:25: routes[0].mirror: there is no upstream "user" (did you mean "users"?)`},
		{"mirror path", route("{to: users, mirror: {to: users, compare: {json: [a.b]}}}"), `f.yaml:3:54: routes[0].mirror.compare.json[0]: expected a JSONPath, which begins with $, got "a.b" (such as $.items[*].price)`},
		{"mirror ignore", route("{to: users, mirror: {to: users, compare: {ignore: [$.a]}}}"), `f.yaml:3:46: routes[0].mirror.compare: ignore is what isn't compared of json, and there is none (add json: ["$"])`},
		{"mirror method", route("{to: users, mirror: {to: users, methods: [get]}}"), `f.yaml:3:47: routes[0].mirror.methods[0]: methods are in capitals, got "get" (write GET)`},
		{"identity of a certificate", route("{to: users, identity: {x-user-id: mtls.uri}}"), `f.yaml:3:39: routes[0].identity.x-user-id: x-user-id is to come from mtls.uri, and nothing on this route verifies that (add mtls to the route)`},
		{"identity fields", "listen: 127.0.0.1:80\nidentity: [" + strings.Repeat("a, ", 33) + "]\nroutes: [{to: users}]\n" + tail, "f.yaml:2:11: identity: expected at most 32 fields, got 33"},
		{"identity source", route("{to: users, identity: {x-user-id: sub}}"), `f.yaml:3:39: routes[0].identity.x-user-id: expected jwt.CLAIM, introspect.CLAIM, oidc.CLAIM, mtls.dns, mtls.uri, mtls.cn, keys.name, basic.user or client, got "sub" (such as {x-user-id: jwt.sub}; client is what the client says, which anybody can)`},
		{"identity limit", route("{to: users, limit: {rate: 1/s, key: {header: X-User-Id}}}"), `f.yaml:3:5: routes[0]: a limit counts by x-user-id, which anybody can send: it is taken out of requests (have a guard say it, such as identity: {x-user-id: jwt.sub}, or allow it by identity: {x-user-id: client})`},
		{"identity match", route("{to: users, match: {headers: {x-user-id: 42}}}"), `f.yaml:3:5: routes[0]: the route matches by x-user-id, which anybody can send: it is taken out of requests (have a guard say it, such as identity: {x-user-id: jwt.sub}, or allow it by identity: {x-user-id: client})`},
		{"identity hash", head + "  - {to: a}\nupstreams: {a: {endpoints: [\"127.0.0.1:1\"], balance: {hash: {header: x-account-id}}}}\n", `f.yaml:3:5: routes[0]: requests to a are balanced by x-account-id, which anybody can send: it is taken out of requests (have a guard say it, such as identity: {x-account-id: jwt.sub}, or allow it by identity: {x-account-id: client})`},
		{"deadline", route("{to: users, deadline: {unit: ms}}"), `f.yaml:3:27: routes[0].deadline: a deadline needs a header (such as deadline: x-request-timeout, or {header: x-request-timeout, unit: ms})`},
		{"shed", route("{to: users, shed: {least: 4}}"), `f.yaml:3:23: routes[0].shed: shed needs an objective (such as shed: {objective: 100ms})`},
		{"importance", route("{to: users, importance: urgent}"), `f.yaml:3:29: routes[0].importance: "urgent" is not one of the choices (there are low, normal, high, critical)`},
		{"importance header", route("{to: users, importance: {most: high}}"), `f.yaml:3:29: routes[0].importance: an importance that requests say themselves needs a header (such as importance: low, or {header: x-importance, most: high})`},
		{"slow-start", head + "  - {to: a}\nupstreams: {a: {endpoints: [\"127.0.0.1:1\"], balance: {hash: path}, slow-start: 5s}}\n", `f.yaml:4:80: upstreams.a.slow-start: by a hash each key has its endpoint from the start, and slow-start would move keys twice (remove it)`},
		{"origin", route(`{to: users, cors: {origins: ["https://a/b"]}}`), `f.yaml:3:34: routes[0].cors.origins[0]: expected an origin, got "https://a/b" (such as https://app.example.com or https://*.example.com)`},
		{"credentials", route(`{to: users, cors: {origins: "*", credentials: true}}`), "f.yaml:3:23: routes[0].cors: any page of the web could act in a user's name: credentials don't go with all origins (name the origins)"},
		{"grpc-web", route("{to: users, grpc-web: true}"), `f.yaml:3:10: routes[0].to: grpc-web needs endpoints that speak HTTP/2, and "127.0.0.1:1" doesn't (write h2c://127.0.0.1:1, or https://)`},
		{"retry codes", route("{to: users, retry: {grpc: [UNAVAILABLE, ok]}}"), `f.yaml:3:45: routes[0].retry.grpc[1]: expected a status of gRPC, got "ok" (such as unavailable)`},
		{"rate", route("{to: users, limit: {rate: 1000, key: client-ip}}"), `f.yaml:3:31: routes[0].limit.rate: expected requests in a second, minute or hour, got "1000" (such as 1000/s, 60/m or 5/h)`},
		{"rate key", route("{to: users, limit: {rate: 1/s, key: client_ip}}"), `f.yaml:3:41: routes[0].limit.key: "client_ip" is not one of the choices (did you mean "client-ip"?)`},
		{"concurrency", route("{to: users, concurrency: {least: 5}}"), "f.yaml:3:30: routes[0].concurrency: a concurrency that is sought needs an objective (such as concurrency: 100, {most: 100}, or {objective: 50ms})"},
		{"least", route("{to: users, concurrency: {objective: 1s, least: 9, most: 5}}"), "f.yaml:3:53: routes[0].concurrency.least: expected at most 5, which is the most, got 9"},
		{"breaker", route("{to: users, breaker: {errors: 0}}"), "f.yaml:3:35: routes[0].breaker.errors: a breaker that opens at no errors is always open (such as 50%)"},
		{"health", head + "  - {to: a}\nupstreams: {a: {endpoints: [\"127.0.0.1:1\"], health: {path: health}}}\n", `f.yaml:4:60: upstreams.a.health.path: expected a path, got "health" (such as /health)`},
		{"outliers", head + "  - {to: a}\nupstreams: {a: {endpoints: [\"127.0.0.1:1\"], outliers: {most: 2}}}\n", `f.yaml:4:62: upstreams.a.outliers.most: expected a share from 0% to 100%, got "2" (write it as 5% or 0.05)`},
		{"etcd", head + "  - {to: a}\nupstreams: {a: {etcd: {}}}\n", "f.yaml:4:23: upstreams.a.etcd: etcd needs endpoints (such as etcd: {endpoints: [\"127.0.0.1:2379\"], prefix: /services/users/})\nf.yaml:4:23: upstreams.a.etcd: etcd needs prefix (such as etcd: {endpoints: [\"127.0.0.1:2379\"], prefix: /services/users/})"},
		{"etcd without members", head + "  - {to: a}\nupstreams: {a: {etcd: {endpoints: [], prefix: /s/}}}\n", "f.yaml:4:23: upstreams.a.etcd: etcd needs endpoints (such as etcd: {endpoints: [\"127.0.0.1:2379\"], prefix: /services/users/})"},
		{"etcd prefix", head + "  - {to: a}\nupstreams: {a: {etcd: {endpoints: [\"e:1\"], prefix: /s}}}\n", "f.yaml:4:52: upstreams.a.etcd.prefix: a prefix ends with a slash: without it, keys that only begin alike would be meant too (write /s/)"},
		{"etcd endpoint", head + "  - {to: a}\nupstreams: {a: {etcd: {endpoints: [e], prefix: /s/}}}\n", "f.yaml:4:36: upstreams.a.etcd.endpoints[0]: expected host:port, got \"e\" (such as 127.0.0.1:2379 or https://etcd-1.example.com:2379)"},
		{"etcd schemes", head + "  - {to: a}\nupstreams: {a: {etcd: {endpoints: [\"e:1\", \"https://e:2\"], prefix: /s/}}}\n", "f.yaml:4:43: upstreams.a.etcd.endpoints[1]: endpoints of one cluster are all http:// or all https://"},
		{"etcd tls", head + "  - {to: a}\nupstreams: {a: {etcd: {tls: {}, endpoints: [\"http://e:1\"], prefix: /s/}}}\n", "f.yaml:4:45: upstreams.a.etcd.endpoints[0]: the endpoint says http://, and tls is given (write https://, or remove tls)"},
		{"etcd password", head + "  - {to: a}\nupstreams: {a: {etcd: {endpoints: [\"e:1\"], prefix: /s/, user: u, password: p}}}\n", "f.yaml:4:23: upstreams.a.etcd: a user and a password go together (such as user: gateway, password: {file: ./etcd.password})\nf.yaml:4:76: upstreams.a.etcd.password: what is secret doesn't stand in this file (write {file: ./password} or {env: PASSWORD})"},
		{"etcd certificate", head + "  - {to: a}\nupstreams: {a: {etcd: {endpoints: [\"e:1\"], prefix: /s/, tls: {cert: c}}}}\n", "f.yaml:4:62: upstreams.a.etcd.tls: a certificate and its key go together (such as tls: {cert: ./gateway.pem, key: ./gateway.key})"},
		{"kubernetes", head + "  - {to: a}\nupstreams: {a: {kubernetes: {}}}\n", "f.yaml:4:29: upstreams.a.kubernetes: kubernetes needs service (such as kubernetes: {service: users, port: http})"},
		{"kubernetes names", head + "  - {to: a}\nupstreams: {a: {kubernetes: {service: Users, namespace: a.b, port: 70000}}}\n", "f.yaml:4:39: upstreams.a.kubernetes.service: expected the name of a Service, got \"Users\" (at most 63 lower-case letters, digits and dashes)\nf.yaml:4:57: upstreams.a.kubernetes.namespace: expected the name of a namespace, got \"a.b\" (at most 63 lower-case letters, digits and dashes)\nf.yaml:4:68: upstreams.a.kubernetes.port: expected a port from 1 to 65535, got \"70000\" (such as http or 80)"},
		{"kubernetes context", head + "  - {to: a}\nupstreams: {a: {kubernetes: {service: users, port: a_b, context: dev}}}\n", "f.yaml:4:52: upstreams.a.kubernetes.port: expected the name or number of a Service's port, got \"a_b\" (such as http or 80)\nf.yaml:4:66: upstreams.a.kubernetes.context: a context is one of a kubeconfig file, and there is none (add kubeconfig: ./kubeconfig, or remove context)"},
		{"address", "listen: somewhere\n" + head[len("listen: 127.0.0.1:80\n"):] + "  - {to: users}\n" + tail, `f.yaml:1:9: listen: expected an address to listen on, got "somewhere" (such as 127.0.0.1:8080 or :8080)`},
		{"path", route(`{match: {path: api}, to: users}`), `f.yaml:3:20: routes[0].match.path: a path begins with a slash (write /api)`},
		{"star", route(`{match: {path: "/a/*/b"}, to: users}`), `f.yaml:3:20: routes[0].match.path: a star is only at the end of a path (such as /api/*, or {name} for one segment)`},
		{"param", route(`{match: {path: "/a{id}"}, to: users}`), `f.yaml:3:20: routes[0].match.path: a parameter is a whole segment, got "a{id}" (such as /users/{id}/orders)`},
		{"method", route(`{match: {methods: [get]}, to: users}`), `f.yaml:3:24: routes[0].match.methods[0]: methods are in capitals, got "get" (write GET)`},
		{"just a method", route(`{match: {methods: {is: get}}, to: users}`), `f.yaml:3:28: routes[0].match.methods.is: methods are in capitals, got "get" (write GET)`},
		{"just no method", route(`{match: {methods: {}}, to: users}`), `f.yaml:3:23: routes[0].match.methods: expected a method (such as {is: GET})`},
		{"rewrite", route(`{match: {path: "/a/{id}"}, rewrite: "/b/{name}", to: users}`), `f.yaml:3:41: routes[0].rewrite: {name} is no part of the path that is matched`},
		{"duration", route(`{to: users, timeout: 150}`), `f.yaml:3:26: routes[0].timeout: expected a duration from 1ms to 24h0m0s, got "150" (write it with a unit, such as 500ms, 10s or 2m)`},
		{"framing", route(`{to: users, request-headers: {set: {Content-Length: 1}}}`), `f.yaml:3:41: routes[0].request-headers.set.Content-Length: Content-Length frames messages and can't be changed`},
		{"value", route(`{to: users, request-headers: {set: {A: "b\nc"}}}`), `f.yaml:3:44: routes[0].request-headers.set.A: expected a value without control characters, got "b\nc"`},
		{"retry", route(`{to: users, retry: {on: [conect]}}`), `f.yaml:3:30: routes[0].retry.on[0]: expected connect, reset, timeout or a status from 500 to 599, got "conect"`},
		{"scheme", head + "  - {to: a}\nupstreams: {a: [\"ftp://127.0.0.1:80\"]}\n", `f.yaml:4:17: upstreams.a[0]: expected http://host:port or h2c://host:port, got the scheme "ftp" (such as http://127.0.0.1:9001)`},
		{"balance", head + "  - {to: a}\nupstreams: {a: {endpoints: [\"127.0.0.1:80\"], balance: least-requests}}\n", `f.yaml:4:55: upstreams.a.balance: "least-requests" is not one of the choices (did you mean "least-request"?)`},
		{"size", "listen: 127.0.0.1:80\nclient: {head: 16}\nroutes: [{to: users}]\n" + tail, `f.yaml:2:16: client.head: expected a size from 512 bytes to 1048576, got "16" (write it with a unit, such as 64KiB or 10MiB)`},
		{"network", "listen: 127.0.0.1:80\ntrust: [10.1.0.0/8]\nroutes: [{to: users}]\n" + tail, `f.yaml:2:9: trust[0]: 10.1.0.0/8 has bits set beyond its length (write 10.0.0.0/8)`},
	} {
		_, err := Parse("f.yaml", []byte(c.src))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}

// A file is read to its end: everything that is wrong is said at once.
func TestAllProblems(t *testing.T) {
	_, err := Parse("f.yaml", []byte("listen: x\nroutes:\n  - {to: a, mirror: 1}\n  - {match: {path: b}, to: http://127.0.0.1:1}\n"))
	problems, ok := err.(Problems)
	if !ok || len(problems) != 4 {
		t.Fatalf("%v", err)
	}
	for i, line := range []int{1, 3, 3, 4} {
		if problems[i].Line != line {
			t.Errorf("problem %d: %v", i, problems[i])
		}
	}
}

func TestAliases(t *testing.T) {
	c, err := Parse("f.yaml", []byte("listen: 127.0.0.1:1\nroutes:\n  - {match: &m {path: /a}, to: u}\n  - {match: *m, to: u, name: b}\nupstreams: {u: [\"127.0.0.1:1\"]}\n"))
	if err != nil || c.Routes[1].Match.Path.Text != "/a" {
		t.Fatalf("%v", err)
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for _, k := range "bcdefgh" {
		before := string(k - 1)
		bomb += string(k) + ": &" + string(k) + " [" + strings.Repeat("*"+before+",", 9) + "*" + before + "]\n"
	}
	if _, err := Parse("f.yaml", []byte(bomb)); err == nil || !strings.Contains(err.Error(), "repeat too much") {
		t.Errorf("aliases of aliases: %v", err)
	}
}

// Whatever a file holds, it is read or refused with places.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("routes: [{match: {path: \"/{a}/*\"}, to: {a: 1, http://[::1]:1: 2}, fault: {delay: {for: 1s, share: 5%}}}]"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := Parse("f.yaml", src)
		if problems, ok := err.(Problems); err != nil && (!ok || len(problems) == 0 || problems[0].Message.IsZero()) || err == nil && (c == nil || len(c.Routes) == 0 && len(c.Listen) == 0) {
			t.Fatalf("%v, %+v", err, c)
		}
	})
}

// How many credentials may be wrong is bounded unless a file says otherwise.
func TestFailures(t *testing.T) {
	rate := func(n int, per time.Duration) Rate {
		if n == 0 {
			return Rate{}
		}
		return Rate{Requests: n, Per: per, Burst: n, Keys: 100_000}
	}
	for _, c := range []struct {
		guard string
		want  Failures
		wrong string
	}{
		{"basic: {file: f}", Failures{rate(10, time.Minute), rate(60, time.Minute)}, ""},
		{"basic: {file: f, failures: 5/h}", Failures{rate(5, time.Hour), rate(60, time.Minute)}, ""},
		{"basic: {file: f, failures: {name: off}}", Failures{rate(10, time.Minute), Rate{}}, ""},
		{"basic: {file: f, failures: {address: 3/s, name: 9/m}}", Failures{rate(3, time.Second), rate(9, time.Minute)}, ""},
		{"basic: {file: f, failures: off}", Failures{}, ""},
		{"basic: {file: f, failures: no}", Failures{}, "routes[0].basic.failures: expected requests in a second, minute or hour"},
		{"keys: {file: f}", Failures{Address: rate(60, time.Minute)}, ""},
		{"keys: {file: f, failures: off}", Failures{}, ""},
		{"keys: {file: f, failures: {name: 5/m}}", Failures{}, "routes[0].keys.failures"},
	} {
		got, err := Parse("f.yaml", []byte("listen: 127.0.0.1:0\nroutes:\n  - {"+c.guard+", to: \"http://127.0.0.1:1\"}\n"))
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: %v", c.guard, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.guard, err)
			continue
		}
		r, failures := got.Routes[0], Failures{}
		if r.Basic != nil {
			failures = r.Basic.Failures
		} else {
			failures = r.Keys.Failures
		}
		if failures != c.want {
			t.Errorf("%s: %+v, want %+v", c.guard, failures, c.want)
		}
	}
}

// What stands before a URL's host isn't repeated in messages, which go to logs.
func TestMessagesHoldNoPasswords(t *testing.T) {
	for _, text := range []string{
		"to: \"http://user:SECRET@127.0.0.1:1\"", "to: \"h2c://user:SEC/RET@127.0.0.1:1\"", "to: \"https://user:p@SECRET@127.0.0.1:1\"",
		"to: \"ftp://user:SECRET@127.0.0.1:1\"", "to: \"https://:SECRET@:1\"",
		"jwt: {jwks: \"https://user:SECRET@id.example/keys\"}, to: \"http://127.0.0.1:1\"",
		"jwt: {jwks: \"https://user:SEC#RET@id.example/keys\"}, to: \"http://127.0.0.1:1\"",
		"oidc: {issuer: \"https://user:SECRET@id.example\", client-id: a, keys: ./k}, to: \"http://127.0.0.1:1\"",
		"introspect: {url: \"https://user:SECRET@id.example\", client-id: a, client-secret: ./k}, to: \"http://127.0.0.1:1\"",
		"cors: {origins: [\"https://user:SECRET@a.example\"]}, to: \"http://127.0.0.1:1\"",
	} {
		_, err := Parse("f.yaml", []byte("listen: 127.0.0.1:1\nroutes:\n  - {"+text+"}\n"))
		if err == nil || strings.Contains(err.Error(), "SEC") || strings.Contains(err.Error(), "RET@") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"consul: {service: a, address: \"http://user:SECRET@127.0.0.1:1\"}", "etcd: {endpoints: [\"http://user:SECRET@127.0.0.1:1\"], prefix: /a/}", "endpoints: [\"user:SECRET@127.0.0.1:1\", \"user:SECRET@\"]"} {
		_, err := Parse("f.yaml", []byte("listen: 127.0.0.1:1\nroutes: [{to: u}]\nupstreams: {u: {"+text+"}}\n"))
		if err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"https://a.example/@b": "https://a.example/@b", "https://a.example:80/x@y": "https://a.example:80/x@y", "a@b": "a@b", "http://[::1]:80/@": "http://[::1]:80/@",
		"http://a@b": "http://***@b", "http://a:b@c:1/d@e": "http://***@c:1/d@e",
	} {
		if got := withoutUser(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
