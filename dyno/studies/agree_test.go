package studies_test

import (
	"testing"

	"dyno.example/dyno/study"
)

const minimal = "study: s\nsubjects: [go/gin]\n"

// TestSchemaAndParserRefuse holds the schema to what the parser says. What
// only the parser can know (names that refer to others, lengths of durations)
// is not in the schema.
func TestSchemaAndParserRefuse(t *testing.T) {
	tests := []struct{ name, src string }{
		{"list", "[a]\n"},
		{"no name", "subjects: [go/gin]\n"},
		{"no subjects", "study: s\n"},
		{"name", "study: a b\nsubjects: [go/gin]\n"},
		{"name that climbs", "study: ..\nsubjects: [go/gin]\n"},
		{"unknown field", minimal + "lodas: []\n"},
		{"no subject", "study: s\nsubjects: []\n"},
		{"gate of nothing", minimal + "gate: []\n"},
		{"gate without a list", minimal + "gate: cpu > +3%\n"},
		{"gate without a change", minimal + "gate: [cpu]\n"},
		{"subject unknown field", "study: s\nsubjects: [{use: go/gin, nmae: a}]\n"},
		{"subject of no kind", "study: s\nsubjects: [{name: a}]\n"},
		{"subject of two kinds", "study: s\nsubjects: [{name: a, use: go/gin, run: ./a}]\n"},
		{"subject without a name", "study: s\nsubjects: [{run: ./a}]\n"},
		{"subject name", "study: s\nsubjects: [{name: a//b, run: ./a}]\n"},
		{"run is blank", "study: s\nsubjects: [{name: a, run: \" \"}]\n"},
		{"build without run", "study: s\nsubjects: [{use: go/gin, build: make}]\n"},
		{"url with a path", "study: s\nsubjects: [{name: a, url: \"http://h/x\"}]\n"},
		{"url with a query", "study: s\nsubjects: [{name: a, url: \"http://h?x\"}]\n"},
		{"url of another protocol", "study: s\nsubjects: [{name: a, url: \"ftp://h\"}]\n"},
		{"tls of a url", "study: s\nsubjects: [{name: a, url: \"http://h\", tls: true}]\n"},
		{"ca_file of a program", "study: s\nsubjects: [{name: a, run: ./a, ca_file: a.pem}]\n"},
		{"env of a url", "study: s\nsubjects: [{name: a, url: \"http://h\", env: {A: b}}]\n"},
		{"env name", "study: s\nsubjects: [{use: go/gin, env: {A=B: c}}]\n"},
		{"env port", "study: s\nsubjects: [{use: go/gin, env: {PORT: 1}}]\n"},
		{"env value", "study: s\nsubjects: [{use: go/gin, env: {A: [b]}}]\n"},
		{"ready_within of a url", "study: s\nsubjects: [{name: a, url: \"http://h\", ready_within: 20s}]\n"},
		{"ready_within without a unit", "study: s\nsubjects: [{name: a, run: ./a, ready_within: 20}]\n"},
		{"no services", minimal + "services: []\n"},
		{"service of no kind", minimal + "services: [{name: a}]\n"},
		{"service of two kinds", minimal + "services: [{use: redis, run: ./a}]\n"},
		{"service without a name", minimal + "services: [{run: ./a}]\n"},
		{"unknown service", minimal + "services: [oracle]\n"},
		{"unknown field of a service", minimal + "services: [{use: redis, prot: 1}]\n"},
		{"port of a service", minimal + "services: [{use: redis, port: 0}]\n"},
		{"reset of a service", minimal + "services: [{use: redis, reset: always}]\n"},
		{"seed of two kinds", minimal + "services: [{use: redis, seed: [{run: a, file: b}]}]\n"},
		{"address without a port", minimal + "services: [{name: a, run: ./a, address: x}]\n"},
		{"address of a kind", minimal + "services: [{use: redis, address: \"x:$PORT\"}]\n"},
		{"replica of Redis", minimal + "services: [{use: redis, replica: true}]\n"},
		{"topics of Redis", minimal + "services: [{use: redis, topics: {a: 1}}]\n"},
		{"partitions", minimal + "services: [{use: kafka, topics: {a: 0}}]\n"},
		{"buckets of etcd", minimal + "services: [{use: etcd, buckets: [a]}]\n"},
		{"settings of a command", minimal + "services: [{name: a, run: ./a, settings: {b: c}}]\n"},
		{"settings of a service that is up", minimal + "services: [{url: \"redis://h\", settings: {b: c}}]\n"},
		{"seed of a service that is up", minimal + "services: [{url: \"redis://h\", seed: [{run: a}]}]\n"},
		{"metrics of a kind", minimal + "services: [{use: redis, metrics: /m}]\n"},
		{"upstream of a url", "study: s\nsubjects: [{name: a, url: \"http://h\", upstream: go/gin}]\n"},
		{"ready", "study: s\nsubjects: [{name: a, run: ./a, ready: up}]\n"},
		{"metrics is a word", "study: s\nsubjects: [{name: a, run: ./a, metrics: metrics}]\n"},
		{"metrics without a path", "study: s\nsubjects: [{name: a, run: ./a, metrics: \"http://h\"}]\n"},
		{"metrics without scheme", "study: s\nsubjects: [{name: a, run: ./a, metrics: //h/m}]\n"},
		{"metrics by another protocol", "study: s\nsubjects: [{name: a, run: ./a, metrics: \"ftp://h/m\"}]\n"},
		{"metrics with a user", "study: s\nsubjects: [{name: a, run: ./a, metrics: \"http://u:p@h/m\"}]\n"},
		{"metrics of a shipped subject", "study: s\nsubjects: [{use: go/gin, metrics: /m}]\n"},
		{"limits of a url", "study: s\nsubjects: [{name: a, url: \"http://h\", limits: {cpus: 1}}]\n"},
		{"no limits", "study: s\nsubjects: [{use: go/gin, limits: {}}]\n"},
		{"unknown limit", "study: s\nsubjects: [{use: go/gin, limits: {cpu: 1}}]\n"},
		{"cpus", "study: s\nsubjects: [{use: go/gin, limits: {cpus: 0}}]\n"},
		{"memory without a unit", "study: s\nsubjects: [{use: go/gin, limits: {memory: 256}}]\n"},
		{"cpuset", "study: s\nsubjects: [{use: go/gin, limits: {cpuset: all}}]\n"},
		{"request of no method", minimal + "requests: [{name: a}]\n"},
		{"request of two methods", minimal + "requests: [{get: /, post: /}]\n"},
		{"request path", minimal + "requests: [{get: json}]\n"},
		{"request path with a space", minimal + "requests: [{get: /a b}]\n"},
		{"request method", minimal + "requests: [{method: G T, path: /}]\n"},
		{"request method without path", minimal + "requests: [{get: /, method: PUT}]\n"},
		{"header name", minimal + "requests: [{get: /, headers: {a b: c}}]\n"},
		{"two bodies", minimal + "requests: [{post: /, body: a, body_file: b}]\n"},
		{"call without a method", minimal + "requests: [{grpc: a.B}]\n"},
		{"call with a path", minimal + "requests: [{grpc: a.B/C, get: /}]\n"},
		{"call with a body", minimal + "requests: [{grpc: a.B/C, body: x}]\n"},
		{"message of a request", minimal + "requests: [{get: /, message: x}]\n"},
		{"two messages", minimal + "requests: [{grpc: a.B/C, message: a, message_file: b}]\n"},
		{"no messages", minimal + "requests: [{grpc: a.B/C, messages: 0}]\n"},
		{"unit of a call", minimal + "requests: [{grpc: a.B/C, unit: stream}]\n"},
		{"compression of a call", minimal + "requests: [{grpc: a.B/C, compression: br}]\n"},
		{"deadline of a call", minimal + "requests: [{grpc: a.B/C, deadline: 10}]\n"},
		{"schema of a call", minimal + "requests: [{grpc: a.B/C, proto: []}]\n"},
		{"two schemas of a call", minimal + "requests: [{grpc: a.B/C, proto: a, descriptors: b}]\n"},
		{"health of nothing", "study: s\nsubjects: [{name: a, run: ./a, ready: \"grpc:\"}]\n"},
		{"weight", minimal + "requests: [{get: /, weight: 0}]\n"},
		{"status", minimal + "requests: [{get: /, expect: {status: 600}}]\n"},
		{"status class", minimal + "requests: [{get: /, expect: {status: ok}}]\n"},
		{"expectation", minimal + "requests: [{get: /, expect: [stauts 200]}]\n"},
		{"auth", minimal + "requests: [{get: /, auth: a}]\n"},
		{"cookie name", minimal + "requests: [{get: /, cookies: {a b: c}}]\n"},
		{"cookie jar", minimal + "requests: [{get: /, cookie_jar: maybe}]\n"},
		{"feed without a file", minimal + "feeds: {a: {}}\n"},
		{"feed name", minimal + "feeds: {a.b: {file: a.csv}}\n"},
		{"feed order", minimal + "feeds: {a: {file: a.csv, order: up}}\n"},
		{"load of no kind", minimal + "loads: [{name: a}]\n"},
		{"load of two kinds", minimal + "loads: [{closed: {}, open: {rate: 1}}]\n"},
		{"load name", minimal + "loads: [{name: a/b, closed: {}}]\n"},
		{"no rate", minimal + "loads: [{open: {}}]\n"},
		{"rate", minimal + "loads: [{open: {rate: 0}}]\n"},
		{"arrivals", minimal + "loads: [{open: {rate: 1, arrivals: bursts}}]\n"},
		{"connections", minimal + "loads: [{closed: {connections: 0}}]\n"},
		{"timeout", minimal + "loads: [{closed: {}, timeout: 10}]\n"},
		{"drain", minimal + "loads: [{closed: {}, drain: 10}]\n"},
		{"rate and phases", minimal + "loads: [{open: {rate: 1, phases: [constant 1 1s]}}]\n"},
		{"no phases", minimal + "loads: [{open: {phases: []}}]\n"},
		{"phase of no shape", minimal + "loads: [{open: {phases: [{}]}}]\n"},
		{"phase of two shapes", minimal + "loads: [{open: {phases: [{ramp: {from: 1, to: 2, duration: 1s}, constant: {rate: 1, duration: 1s}}]}}]\n"},
		{"phase in words", minimal + "loads: [{open: {phases: [rampp 1..2 1s]}}]\n"},
		{"phase without duration", minimal + "loads: [{open: {phases: [{ramp: {from: 1, to: 2}}]}}]\n"},
		{"steps of two kinds", minimal + "loads: [{open: {phases: [{steps: {rates: [1], by: 2, each: 1s}}]}}]\n"},
		{"steps of no kind", minimal + "loads: [{open: {phases: [{steps: {from: 1, to: 2, each: 1s}}]}}]\n"},
		{"arrivals of a trace", minimal + "loads: [{open: {phases: [{trace: {file: t, arrivals: uniform}}]}}]\n"},
		{"angle", minimal + "loads: [{open: {phases: [{sine: {mean: 2, amplitude: 1, period: 1s, angle: 360, duration: 2s}}]}}]\n"},
		{"overflow", minimal + "loads: [{open: {rate: 1, overflow: drop}}]\n"},
		{"limit without overflow", minimal + "loads: [{open: {rate: 1, max_connections: 100}}]\n"},
		{"overflow of a closed loop", minimal + "loads: [{closed: {overflow: wait}}]\n"},
		{"think of an open loop", minimal + "loads: [{open: {rate: 1, think: 1s}}]\n"},
		{"think without a mean", minimal + "loads: [{closed: {think: {spread: fixed}}}]\n"},
		{"reuse", minimal + "loads: [{closed: {}, reuse: never}]\n"},
		{"reuse for no request", minimal + "loads: [{closed: {}, reuse: 0}]\n"},
		{"max_age", minimal + "loads: [{closed: {}, max_age: 30}]\n"},
		{"sources", minimal + "loads: [{closed: {}, sources: []}]\n"},
		{"fast_open", minimal + "loads: [{closed: {}, fast_open: 1}]\n"},
		{"pacing", minimal + "loads: [{open: {rate: 1}, pacing: fast}]\n"},
		{"websocket", minimal + "loads: [{closed: {}, websocket: yes please}]\n"},
		{"websocket answers", minimal + "loads: [{closed: {}, websocket: {answers: two}}]\n"},
		{"websocket unknown field", minimal + "loads: [{closed: {}, websocket: {silence: 1s}}]\n"},
		{"websocket stamp by id", minimal + "loads: [{closed: {}, websocket: {answers: none, stamp: id}}]\n"},
		{"events silence", minimal + "loads: [{closed: {}, events: {silence: 1}}]\n"},
		{"events stamp", minimal + "loads: [{closed: {}, events: {stamp: at}}]\n"},
		{"events clock without a stamp", minimal + "loads: [{closed: {}, events: {stamp_clock: unix-ns}}]\n"},
		{"events clock", minimal + "loads: [{closed: {}, events: {stamp: id, stamp_clock: sundial}}]\n"},
		{"reuse level", minimal + "factors: {reuse: [never]}\n"},
		{"pacing level", minimal + "loads: [{open: {rate: 1}}]\nfactors: {pacing: [fast]}\n"},
		{"unknown factor", minimal + "factors: {colour: [red]}\n"},
		{"factor without levels", minimal + "factors: {connections: []}\n"},
		{"level", minimal + "factors: {connections: [0]}\n"},
		{"level twice", minimal + "factors: {connections: [1, 1]}\n"},
		{"factor port", minimal + "factors: {env.PORT: [1]}\n"},
		{"factor without a variable", minimal + "factors: {env.: [1]}\n"},
		{"handshake", minimal + "factors: {tls: [half]}\n"},
		{"size level", minimal + "requests: [{post: /}]\nfactors: {size: [-1]}\n"},
		{"size without a body", "study: s\nsubjects: [go/gin]\nfactors: {size: [many]}\n"},
		{"cpus level", minimal + "factors: {cpus: [0]}\n"},
		{"CPU list", minimal + "factors: {cpus: [a-b]}\n"},
		{"quota level", minimal + "factors: {cpu: [0]}\n"},
		{"memory level", minimal + "factors: {memory: [256]}\n"},
		{"argument without a name", minimal + "factors: {args.: [1]}\n"},
		{"argument of dashes", minimal + "factors: {args.--: [1]}\n"},
		{"kernel setting without a name", minimal + "factors: {kernel.: [1]}\n"},
		{"kernel setting that there is not", minimal + "factors: {kernel.governer: [1]}\n"},
		{"kernel setting that is no sysctl", minimal + "factors: {kernel.etc.passwd: [1]}\n"},
		{"kernel setting that climbs", minimal + "factors: {kernel...: [1]}\n"},
		{"kernel setting of nothing", minimal + "factors: {kernel.vm.swappiness: [\"\"]}\n"},
		{"design", minimal + "factors: {connections: [1]}\ndesign: half\n"},
		{"design without factors", minimal + "design: full\n"},
		{"design of two kinds", minimal + "factors: {connections: [1]}\ndesign: {sobol: {}, latin-hypercube: {}}\n"},
		{"samples", minimal + "factors: {connections: [1]}\ndesign: {sobol: {samples: 1}}\n"},
		{"half a range", minimal + "factors: {connections: {from: 1}}\ndesign: sobol\n"},
		{"scale", minimal + "factors: {connections: {from: 1, to: 2, scale: cubic}}\ndesign: sobol\n"},
		{"twin", minimal + "twin: again\n"},
		{"bad duration", minimal + "trial: {duration: 10}\n"},
		{"duration in words", minimal + "trial: {duration: ten seconds}\n"},
		{"negative warmup", minimal + "trial: {warmup: -1s}\n"},
		{"blocks", minimal + "blocks: 0\n"},
		{"warm-up in other words", minimal + "trial: {warmup: soon}\n"},
		{"warm-up without its end", minimal + "trial: {warmup: steady 5s}\n"},
		{"placement", minimal + "placement: explicit\n"},
		{"placement of one", minimal + "placement: {generator: [0]}\n"},
		{"CPU", minimal + "placement: {generator: [0], subject: [4096]}\n"},
		{"metric", minimal + "report: [p99]\n"},
		{"metric twice", minimal + "report: [cpu, cpu]\n"},
		{"claim without an id", minimal + "claims: [{holds: errors < 1%}]\n"},
		{"claim of nothing", minimal + "claims: [{id: a, says: b}]\n"},
		{"claim in two forms", minimal + "claims: [{id: a, holds: errors < 1%, expressions: [errors < 1%]}]\n"},
		{"claim's unknown field", minimal + "claims: [{id: a, hold: errors < 1%}]\n"},
		{"claim that compares nothing", minimal + "claims: [{id: a, holds: errors}]\n"},
		{"claim's direction", minimal + "claims: [{id: a, holds: errors < 1%, direction: up}]\n"},
		{"claim's margin", minimal + "claims: [{id: a, holds: errors < 1%, margin: 2}]\n"},
		{"claim's margin in words", minimal + "claims: [{id: a, holds: errors < 1%, margin: little}]\n"},
		{"no claims", minimal + "claims: []\n"},
		{"accept what is no finding", minimal + "accept: [drift]\n"},
		{"accept what is no judgement", minimal + "accept: [trial-failed]\n"},
		{"accept twice", minimal + "accept: [steal, steal]\n"},
		{"until without an end", minimal + "until: {precision: 2%}\n"},
		{"until precision", minimal + "until: {time: 1m, precision: little}\n"},
		{"until blocks", minimal + "until: {blocks: 0}\n"},
		{"quick unknown field", minimal + "quick: {block: 1}\n"},
		{"quick blocks", minimal + "quick: {blocks: 0}\n"},
	}
	s, shipped := schema(t), subjectNames(t)
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			if err := s.Validate(value(t, c.src)); err == nil {
				t.Errorf("the schema accepts\n%s", c.src)
			}
			if _, err := study.Parse("s.yaml", []byte(c.src), shipped); err == nil {
				t.Errorf("the parser accepts\n%s", c.src)
			}
		})
	}
}

// TestSchemaAndParserAccept keeps the schema from refusing what works.
func TestSchemaAndParserAccept(t *testing.T) {
	tests := []struct{ name, src string }{
		{"least", minimal},
		{"own", "study: s\nsubjects: [{name: my/own, run: ./a, build: make, dir: x, ready: /up, env: {A: 1, B: true, C: \"\"}}]\n"},
		{"up", "study: s\nsubjects: [{name: a, url: \"http://[::1]:80/\"}]\n"},
		{"metrics", "study: s\nsubjects: [{name: a, run: ./a, metrics: /m}, {name: b, url: \"http://h\", metrics: \"http://h:90/m?x=y\"}]\n"},
		{"TLS", "study: s\nsubjects: [{name: a, run: ./a, tls: true}, {name: b, url: \"https://h\", ca_file: a.pem, insecure: false}]\n"},
		{"TLS of metrics", "study: s\nsubjects: [{name: a, run: ./a, metrics: \"https://h/m\", insecure: true}, {name: b, url: \"https://h\", metrics: /m}]\n"},
		{"levels of all kinds", "study: s\nsubjects: [{name: a, run: $OUT/a, build: go build $DYNO_BUILD_FLAGS -o $OUT/a, tls: true}]\nrequests: [{post: /}]\nloads: [{closed: {}, reuse: none}]\n" +
			"factors: {size: [0, 1KiB], tls: [off, full, resumed], cpus: [1, \"0-1,3\"], cpu: [0.5, none], memory: [1MiB, none], args: [\"\", -v], args.-x: [1], build.flags: [\"\", -race], kernel.net.ipv4.tcp_fastopen: [0, 3], kernel.transparent_hugepages: [never]}\ntwin: false\n"},
		{"kernel settings", minimal + "factors: {kernel.governor: [a], kernel.numa_balancing: [0], kernel.nmi_watchdog: [0], kernel.swappiness: [1], kernel.port_range: [1 2], kernel.somaxconn: [1], kernel.tcp_tw_reuse: [1], kernel.conntrack: [1], kernel.tcp_fastopen: [1], kernel.smt: [off], kernel.net.core.rmem_max: [1]}\n"},
		{"ranges", minimal + "requests: [{post: /}]\nfactors: {connections: {from: 1, to: 64, scale: log}, size: {from: 0, to: 10}, cpus: {from: 1, to: 2}, cpu: {from: 0.5, to: 2, scale: linear}, memory: {from: 1MiB, to: 1GiB}, env.A: {from: -1, to: 2.5}, kernel.vm.swappiness: {from: 0, to: 100}}\ndesign: {sobol: {samples: 2}}\nquick: {samples: 2}\n"},
		{"one at a time", minimal + "factors: {connections: [1, 2]}\ndesign: one-at-a-time\n"},
		{"limits", "study: s\nsubjects: [{use: go/gin, limits: {cpus: 0.5, memory: 1.5GiB, cpuset: \"0-1,3\"}}, {name: a, run: ./a, limits: {cpuset: 2}}]\n"},
		{"method", minimal + "requests: [{method: purge, path: /a, headers: {X-A: 1}, body: 7}]\n"},
		{"templates", minimal + "requests: [{get: \"/{{int 1 9}}/{{choice \\\"a\\\" \\\"}b\\\"}}?q={{uuid}}\"}, {get: \"{{choice /a /b}}\"}]\n"},
		{"identity", minimal + "requests: [{get: /, auth: \"basic a:{{uuid}}\", cookies: {a: b, c: 1}, cookie_jar: true}]\n"},
		{"expectations", minimal + "requests: [{get: /, expect: {status: [200, 3xx], header: [a, b absent], body: size < 9, json: $.a == 1}}, {get: /b, expect: [status 200, body contains b]}]\n"},
		{"calls", "study: s\nsubjects: [{name: a, run: ./a, ready: grpc}, {name: b, run: ./b, ready: \"grpc:a.B\"}]\nrequests: [{grpc: a.B/C, name: x, message: '{\"a\": {{seq}}}', messages: 3, unit: call, compression: gzip, deadline: 1s, headers: {a: b}, expect: {grpc: [OK, NOT_FOUND], json: $.a == 1}}, {grpc: a.B/D, answers: 2, expect: [grpc OK]}]\nloads: [{closed: {}, http2: true, streams: 5}]\n"},
		{"status range", minimal + "requests: [{get: /, expect: {status: 200-204}}]\n"},
		{"open", minimal + "loads: [{open: {rate: 0.5, arrivals: uniform}, timeout: 1m30s, drain: 0s}]\n"},
		{"phases", minimal + `loads:
  - name: day
    open:
      overflow: open
      max_connections: 500
      phases:
        - constant: {rate: 0, duration: 1s, arrivals: uniform}
        - steps: {rates: [100, 200.5], each: 10s}
        - steps: {from: 1000, to: 3000, by: 1000, each: 5s}
        - ramp: {from: 0, to: 5000, duration: 30s}
        - spike: {base: 1000, peak: 9000, at: 20s, hold: 5s, duration: 1m}
        - soak: {rate: 500, rise: 5m, duration: 1h}
        - sine: {mean: 1000, amplitude: 500, period: 20s, angle: 90, duration: 2m}
        - sine 1000~500 every 20s 2m
  - {name: users, closed: {think: {mean: 100ms, spread: exponential}}}
  - {name: robots, closed: {think: 1s}}
`},
		{"messages", minimal + "requests: [{get: /ws, body: \"{{seq}}\", expect: {body: == x}}]\nloads: [{name: a, closed: {}, websocket: true}, {name: b, open: {rate: 1}, websocket: {binary: true, max_message: 100}}, {name: c, closed: {}, websocket: {answers: none, stamp: \"json:.at\", stamp_clock: unix-ms}}, {name: d, closed: {}, websocket: false}]\n"},
		{"events", minimal + "loads: [{name: a, closed: {}, events: true}, {name: b, closed: {}, events: {stamp: id, stamp_clock: monotonic-ns, retry: 1s, silence: 10s, max_event: 1000}}]\n"},
		{"accept", minimal + "accept: [drifting, steal]\n"},
		{"explain", minimal + "explain: true\n"},
		{"keep", minimal + "keep: [cpu, flight, buffers, packets]\nexplain: true\n"},
		{"pprof", "study: s\nsubjects: [{name: a, run: ./a, pprof: /debug/pprof}, {name: b, url: \"http://h\", pprof: \"http://h:90/debug/pprof/\"}, {use: go/gin, pprof: /p}]\nkeep: [cpu, pprof]\n"},
		{"until", minimal + "until: {time: 10m, precision: 2%, blocks: 30}\n"},
		{"until blocks alone", minimal + "until: {blocks: 12}\n"},
		{"timings", minimal + "trial: {warmup: 0s, duration: 1.5s}\nquick: {trial: {duration: 1500ms}}\n"},
		{"factors", minimal + "factors: {connections: [1, 2], env.GOGC: [50, off]}\nquick: {factors: {connections: [1]}}\n"},
		{"placement", minimal + "placement: {generator: [0], subject: [1, 2]}\n"},
		{"claims", minimal + `factors: {connections: [16, 64]}
claims:
  - {id: a, says: b, published: 4.5, holds: "throughput[connections=64] / throughput[connections=16] ~ 1.37 +- 5%", margin: 3%}
  - {id: b, expressions: ["errors[connections=16] ≤ 1%", "knee(connections) > 16"], direction: "errors[connections=16] < 2%", margin: 0.01}
  - {id: c, unmeasurable: no second machine}
`},
	}
	s, shipped := schema(t), subjectNames(t)
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			if err := s.Validate(value(t, c.src)); err != nil {
				t.Error(err)
			}
			if _, err := study.Parse("s.yaml", []byte(c.src), shipped); err != nil {
				t.Error(err)
			}
		})
	}
}
