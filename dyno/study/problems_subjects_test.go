package study

import "testing"

func TestSubjectsProblems(t *testing.T) {
	checkProblems(t, []problemCase{
		{"ready_within of a shipped subject", "study: s\nsubjects: [{use: go/gin, ready_within: 20s}]\n",
			`s.yaml:2:40: subjects[0].ready_within: ready_within goes with run only`},
		{"ready_within too long", "study: s\nsubjects: [{name: a, run: ./a, ready_within: 2m}]\n",
			`s.yaml:2:46: subjects[0].ready_within: expected a duration from 1s to 1m, got "2m"`},
		{"not a list", named + "subjects: go/gin\n",
			`s.yaml:2:11: subjects: expected a list, got "go/gin" (write it as [a, b] or one "- item" a line)`},
		{"nothing", named + "subjects:\n",
			`s.yaml:2:10: subjects: expected a list, got nothing (write it as [a, b] or one "- item" a line)`},
		{"empty list", named + "subjects: []\n",
			"s.yaml:2:11: subjects: expected at least one item, got an empty list"},
		{"unknown", named + "subjects: [go/gni]\n",
			`s.yaml:2:12: subjects[0]: "go/gni" is not one of the choices (did you mean "go/gin"?)`},
		{"last part", named + "subjects: [fasthttp]\n",
			`s.yaml:2:12: subjects[0]: "fasthttp" is not one of the choices (did you mean "go/fasthttp"?)`},
		{"an alias", named + "subjects: [&a go/gin, *a]\n",
			`s.yaml:2:23: subjects[1]: two subjects are called "go/gin" (give one of them another name: {name: …, use: …})`},
		{"in an alias", `study: s
question: &q [1]
subjects: [*q]
`,
			`s.yaml:2:11: question: expected a text, got a list (quote it if it is meant as a text)
s.yaml:3:12: subjects[0]: expected a text, got a list (quote it if it is meant as a text)`},
		{"none near", named + "subjects: [rust/actix]\n",
			`s.yaml:2:12: subjects[0]: "rust/actix" is not one of the choices (valid: go/chi, go/fasthttp, go/gin, go/nethttp)`},
		{"item is nothing", named + "subjects: [~]\n",
			"s.yaml:2:12: subjects[0]: expected a text, got nothing"},
		{"item is a list", named + "subjects: [[go/gin]]\n",
			"s.yaml:2:12: subjects[0]: expected a text, got a list (quote it if it is meant as a text)"},
		{"twice", named + `subjects:
  - go/gin
  - go/gin
`,
			`s.yaml:4:5: subjects[1]: two subjects are called "go/gin" (give one of them another name: {name: …, use: …})`},
		{"a network without its length", named + "subjects: [{use: go/gin, network: {mtu: 1500}}]\n",
			`s.yaml:2:35: subjects[0].network: the network has no round-trip time (add: rtt: 10ms)`},
		{"a network of nothing", named + "subjects: [{use: go/gin, network: {rtt: 0s, mtu: 100}}]\n",
			`s.yaml:2:41: subjects[0].network.rtt: expected a duration from 10µs to 10s, got "0s"
s.yaml:2:50: subjects[0].network.mtu: expected a whole number from 576 to 65000, got "100"`},
		{"a network that pauses, and not how often", named + "subjects: [{use: go/gin, network: {rtt: 1ms, pause: 30ms}}]\n",
			`s.yaml:2:35: subjects[0].network: it isn't said how often the network pauses (add: every: 500ms)`},
		{"a network that pauses, and not how long", named + "subjects: [{use: go/gin, network: {rtt: 1ms, every: 1s}}]\n",
			`s.yaml:2:35: subjects[0].network: it isn't said for how long the network pauses (add: pause: 30ms)`},
		{"a network that pauses always", named + "subjects: [{use: go/gin, network: {rtt: 1ms, pause: 1s, every: 1s}}]\n",
			`s.yaml:2:53: subjects[0].network.pause: a network that pauses for 1s of each 1s lets nothing through`},
		{"a network that pauses too shortly", named + "subjects: [{use: go/gin, network: {rtt: 1ms, pause: 1us, every: 1s}}]\n",
			`s.yaml:2:53: subjects[0].network.pause: expected a duration from 1ms to 10s, got "1us"`},
		{"a network of a service that is up", named + "subjects: [{name: a, url: 'http://127.0.0.1:1', network: {rtt: 1ms}}]\n",
			`s.yaml:2:58: subjects[0].network: a service that is already up can't be put behind a network`},
		{"a network before a gateway", named + "subjects: [{name: a, run: ./a, upstream: go/gin, network: {rtt: 1ms}}]\n",
			`s.yaml:2:11: subjects: behind a network of its own "a" doesn't reach its upstream`},
		{"a network and services", named + "services: [redis]\nsubjects: [{use: go/gin, network: {rtt: 1ms}}]\n",
			`s.yaml:3:11: subjects: behind a network of its own "go/gin" doesn't reach the services`},
		{"a round-trip time of services", named + "services: [redis]\nsubjects: [go/gin]\nfactors: {rtt: [none, 1ms]}\n",
			`s.yaml:4:11: factors.rtt: behind a network of its own "go/gin" doesn't reach the services`},
		{"unknown field", named + "subjects: [{usee: go/gin}]\n",
			`s.yaml:2:13: subjects[0].usee: unknown field (did you mean "use"?)`},
		{"no kind", named + "subjects: [{name: a}]\n",
			"s.yaml:2:12: subjects[0]: expected exactly one of use, run and url, got 0 (use: a shipped subject; run: a command of yours; url: a service that is already up)"},
		{"two kinds", named + `subjects:
  - {name: a, use: go/gin, run: ./a}
`,
			"s.yaml:3:5: subjects[0]: expected exactly one of use, run and url, got 2 (use: a shipped subject; run: a command of yours; url: a service that is already up)"},
		{"three kinds", named + `subjects:
  - {name: a, use: go/gin, run: ./a, url: "http://h"}
`,
			"s.yaml:3:5: subjects[0]: expected exactly one of use, run and url, got 3 (use: a shipped subject; run: a command of yours; url: a service that is already up)"},
		{"use unknown", named + "subjects: [{name: a, use: gin2}]\n",
			`s.yaml:2:27: subjects[0].use: "gin2" is not one of the choices (valid: go/chi, go/fasthttp, go/gin, go/nethttp)`},
		{"use is empty", named + `subjects: [{name: a, use: ""}]
`,
			`s.yaml:2:27: subjects[0].use: "" is not one of the choices (valid: go/chi, go/fasthttp, go/gin, go/nethttp)`},
		{"run is empty", named + `subjects: [{name: a, run: " "}]
`,
			"s.yaml:2:27: subjects[0].run: expected a text, got an empty one"},
		{"run is a list", named + "subjects: [{name: a, run: [./a]}]\n",
			"s.yaml:2:27: subjects[0].run: expected a text, got a list (quote it if it is meant as a text)"},
		{"run with NUL", named + `subjects: [{name: a, run: "a\0b"}]
`,
			`s.yaml:2:27: subjects[0].run: expected a text without control characters, got '\x00' in it`},
		{"run without a name", named + "subjects: [{run: ./a}]\n",
			"s.yaml:2:12: subjects[0]: the subject has no name (add: name: mine)"},
		{"bad name", named + "subjects: [{name: a b, run: ./a}]\n",
			`s.yaml:2:19: subjects[0].name: expected a name of at most 64 letters, digits, dots, dashes and underscores that starts with a letter or digit, got "a b" (slashes may stand between such names)`},
		{"name that climbs", named + "subjects: [{name: ../a, run: ./a}]\n",
			`s.yaml:2:19: subjects[0].name: expected a name of at most 64 letters, digits, dots, dashes and underscores that starts with a letter or digit, got "../a" (slashes may stand between such names)`},
		{"url with a path", named + `subjects: [{name: a, url: "http://h/x"}]
`,
			`s.yaml:2:27: subjects[0].url: expected http://host:port or https://host:port, got "http://h/x" (paths belong under requests)`},
		{"url with a query", named + `subjects: [{name: a, url: "http://h?x=1"}]
`,
			`s.yaml:2:27: subjects[0].url: expected http://host:port or https://host:port, got "http://h?x=1" (paths belong under requests)`},
		{"url with a user", named + `subjects: [{name: a, url: "http://u:p@h"}]
`,
			`s.yaml:2:27: subjects[0].url: expected http://host:port or https://host:port, got "http://u:p@h" (paths belong under requests)`},
		{"url without scheme", named + `subjects: [{name: a, url: "localhost:80"}]
`,
			`s.yaml:2:27: subjects[0].url: expected http://host:port or https://host:port, got "localhost:80" (paths belong under requests)`},
		{"url without host", named + `subjects: [{name: a, url: "http://:80"}]
`,
			`s.yaml:2:27: subjects[0].url: expected http://host:port or https://host:port, got "http://:80" (paths belong under requests)`},
		{"url of another protocol", named + `subjects: [{name: a, url: "ftp://h"}]
`,
			`s.yaml:2:27: subjects[0].url: expected http://host:port or https://host:port, got "ftp://h" (paths belong under requests)`},
		{"url with a port too high", named + `subjects: [{name: a, url: "http://h:65536"}]
`,
			`s.yaml:2:27: subjects[0].url: expected http://host:port or https://host:port, got "http://h:65536" (paths belong under requests)`},
		{"url is empty", named + `subjects: [{name: a, url: ""}]
`,
			`s.yaml:2:27: subjects[0].url: expected http://host:port or https://host:port, got "" (paths belong under requests)`},
		{"build without run", named + "subjects: [{use: go/gin, build: make}]\n",
			"s.yaml:2:33: subjects[0].build: build goes with run only"},
		{"build, dir and ready without run, in any order", named + `subjects:
  - url: http://h
    name: a
    ready: /
    dir: x
    build: make
    env: {A: b}
`,
			`s.yaml:5:12: subjects[0].ready: ready goes with run only
s.yaml:6:10: subjects[0].dir: dir goes with run only
s.yaml:7:12: subjects[0].build: build goes with run only
s.yaml:8:10: subjects[0].env: env can't be set for a service that is already up`},
		{"ready is no path", named + "subjects: [{name: a, run: ./a, ready: health}]\n",
			`s.yaml:2:39: subjects[0].ready: expected a path that starts with "/", got "health"`},
		{"metrics without a path", named + `subjects: [{name: a, url: "http://h", metrics: "http://h:9090"}]
`,
			`s.yaml:2:48: subjects[0].metrics: expected a path that starts with "/", or http://host:port/path, or https://…, got "http://h:9090"`},
		{"metrics is a word", named + "subjects: [{name: a, run: ./a, metrics: metrics}]\n",
			`s.yaml:2:41: subjects[0].metrics: expected a path that starts with "/", or http://host:port/path, or https://…, got "metrics"`},
		{"metrics by another protocol", named + `subjects: [{name: a, run: ./a, metrics: "ftp://h/m"}]
`,
			`s.yaml:2:41: subjects[0].metrics: expected a path that starts with "/", or http://host:port/path, or https://…, got "ftp://h/m"`},
		{"metrics with a user", named + `subjects: [{name: a, run: ./a, metrics: "http://u:p@h/m"}]
`,
			`s.yaml:2:41: subjects[0].metrics: expected a path that starts with "/", or http://host:port/path, or https://…, got "http://u:p@h/m"`},
		{"metrics without scheme", named + `subjects: [{name: a, run: ./a, metrics: "//h/m"}]
`,
			`s.yaml:2:41: subjects[0].metrics: expected a path that starts with "/", or http://host:port/path, or https://…, got "//h/m"`},
		{"metrics with a space", named + `subjects: [{name: a, run: ./a, metrics: "/m x"}]
`,
			`s.yaml:2:41: subjects[0].metrics: expected a path that starts with "/", or http://host:port/path, or https://…, got "/m x"`},
		{"metrics is nothing", named + "subjects: [{name: a, run: ./a, metrics: }]\n",
			`s.yaml:2:41: subjects[0].metrics: expected a path that starts with "/", or http://host:port/path, or https://…, got nothing`},
		{"metrics of a shipped subject", named + "subjects: [{use: go/gin, metrics: /m}]\n",
			"s.yaml:2:35: subjects[0].metrics: metrics goes with run and url only (dyno sees a shipped subject without them)"},
		{"pprof with a query", named + "subjects: [{name: a, run: ./a, pprof: \"/debug/pprof?a=b\"}]\n",
			`s.yaml:2:39: subjects[0].pprof: expected a path such as /debug/pprof, or http://host:port/debug/pprof, or https://…, got "/debug/pprof?a=b"`},
		{"pprof is true", named + "subjects: [{name: a, run: ./a, pprof: true}]\n",
			`s.yaml:2:39: subjects[0].pprof: expected a path such as /debug/pprof, or http://host:port/debug/pprof, or https://…, got "true"`},
		{"env is a list", named + "subjects: [{use: go/gin, env: [A=b]}]\n",
			"s.yaml:2:31: subjects[0].env: expected fields (name: value), got a list"},
		{"env name", named + "subjects: [{use: go/gin, env: {A=B: c}}]\n",
			`s.yaml:2:32: subjects[0].env.A=B: "A=B" can't be the name of an environment variable`},
		{"env value is nothing", named + "subjects: [{use: go/gin, env: {A: }}]\n",
			"s.yaml:2:35: subjects[0].env.A: expected a text, got nothing"},
		{"env value with NUL", named + `subjects: [{use: go/gin, env: {A: "\0"}}]
`,
			`s.yaml:2:35: subjects[0].env.A: expected a text without control characters, got '\x00' in it`},
		{"env sets the port", named + "subjects: [{name: a, run: ./a, env: {PORT: 80}}]\n",
			"s.yaml:2:38: subjects[0].env.PORT: PORT can't be set: dyno chooses the port"},
		{"env twice", named + "subjects: [{use: go/gin, env: {A: 1, A: 2}}]\n",
			"s.yaml:2:38: subjects[0].env.A: the field is given twice (remove one of them)"},
	})
}
