package study

import "testing"

func TestFactorsProblems(t *testing.T) {
	checkProblems(t, []problemCase{
		{"not fields", minimal + "factors: [connections]\n",
			"s.yaml:3:10: factors: expected fields (name: value), got a list"},
		{"unknown", minimal + "factors: {connection: [1]}\n",
			`s.yaml:3:11: factors.connection: unknown factor (did you mean "connections"?)`},
		{"unknown, none near", minimal + "factors: {colour: [red]}\n",
			"s.yaml:3:11: factors.colour: unknown factor (valid: connections, rate, request, reuse, protocol, streams, pacing, size, tls, cpus, env.NAME, args.NAME and 6 more)"},
		{"not a list", minimal + "factors: {connections: 16}\n",
			`s.yaml:3:24: factors.connections: expected a list, got "16" (write it as [a, b] or one "- item" a line)`},
		{"empty", minimal + "factors: {connections: []}\n",
			"s.yaml:3:24: factors.connections: expected at least one item, got an empty list"},
		{"connections", minimal + "factors: {connections: [16, many]}\n",
			`s.yaml:3:29: factors.connections[1]: expected a whole number from 1 to 1000000, got "many"`},
		{"levels are lists", minimal + "factors: {connections: [[1]]}\n",
			"s.yaml:3:25: factors.connections[0]: expected a whole number from 1 to 1000000, got a list"},
		{"same level twice", minimal + "factors: {connections: [16, 16]}\n",
			`s.yaml:3:29: factors.connections[1]: the level "16" is given twice (remove one of them)`},
		{"two bad levels", minimal + "factors: {connections: [x, y]}\n",
			`s.yaml:3:25: factors.connections[0]: expected a whole number from 1 to 1000000, got "x"
s.yaml:3:28: factors.connections[1]: expected a whole number from 1 to 1000000, got "y"`},
		{"rate of a closed loop", minimal + "factors: {rate: [1000]}\n",
			`s.yaml:3:11: factors.rate: the load "saturate" is closed and has no rate to vary (give that load open: {rate: …})`},
		{"same rate twice", minimal + `loads: [{open: {rate: 1}}]
factors: {rate: [1000, 1e3]}
`,
			`s.yaml:4:24: factors.rate[1]: the level "1000" is given twice (remove one of them)`},
		{"request", minimal + `requests: [{name: json, get: /}]
factors: {request: [jsno, ""]}
`,
			`s.yaml:4:21: factors.request[0]: "jsno" is not one of the choices (did you mean "json"?)
s.yaml:4:27: factors.request[1]: "" is not one of the choices (valid: json)`},
		{"protocol", minimal + "factors: {protocol: [h2]}\n",
			`s.yaml:3:22: factors.protocol[0]: "h2" is not one of the choices (valid: http1, http2)`},
		{"streams without one, next to HTTP/1.1", minimal + "factors: {protocol: [http1, http2], streams: [10, 100]}\n",
			"s.yaml:3:37: factors.streams: the factor protocol has HTTP/1.1 too, which has one request under way on a connection (add the level 1)"},
		{"streams at HTTP/1.1 one at a time", minimal + "factors: {protocol: [http1, http2], streams: [1, 10]}\ndesign: one-at-a-time\n",
			"s.yaml:3:37: factors.streams: one at a time, the streams vary at the first protocol, and HTTP/1.1 has none (protocol: [http2, http1])"},
		{"streams of HTTP/1.1", minimal + "factors: {streams: [1, 4]}\n",
			`s.yaml:3:11: factors.streams: the load "saturate" has one request under way on a connection, as HTTP/1.1 has it (give that load http2: true)`},
		{"reuse", minimal + "factors: {reuse: [none, 0, sahred, 100]}\n",
			`s.yaml:3:25: factors.reuse[1]: expected a whole number from 1 to 1000000000, got "0"
s.yaml:3:28: factors.reuse[2]: "sahred" is not one of the choices (did you mean "shared"?)`},
		{"pacing of a closed loop", minimal + "factors: {pacing: [spin]}\n",
			`s.yaml:3:11: factors.pacing: the load "saturate" is closed and waits for no schedule (give that load open: {rate: …})`},
		{"pacing", minimal + "loads: [{open: {rate: 1}}]\nfactors: {pacing: [auto, fast]}\n",
			`s.yaml:4:26: factors.pacing[1]: "fast" is not one of the choices (valid: auto, spin, timer)`},
		{"env without a name", minimal + "factors: {env.: [a]}\n",
			`s.yaml:3:11: factors.env.: "" can't be the name of an environment variable`},
		{"env that holds =", minimal + "factors: {env.A=B: [a]}\n",
			`s.yaml:3:11: factors.env.A=B: "A=B" can't be the name of an environment variable`},
		{"env sets the port", minimal + "factors: {env.PORT: [1]}\n",
			"s.yaml:3:11: factors.env.PORT: PORT can't be set: dyno chooses the port"},
		{"env of a service that is up", named + `subjects: [{name: a, url: "http://h"}]
factors: {env.A: [b]}
`,
			`s.yaml:3:11: factors.env.A: the environment of "a" can't be varied: it is already up`},
	})
}
