package study

import "testing"

func TestMeasuringProblems(t *testing.T) {
	checkProblems(t, []problemCase{
		{"trial is a text", minimal + "trial: 10s\n",
			`s.yaml:3:8: trial: expected fields (name: value), got "10s"`},
		{"unknown field", minimal + "trial: {warm-up: 1s}\n",
			`s.yaml:3:9: trial.warm-up: unknown field (did you mean "warmup"?)`},
		{"duration without a unit", minimal + "trial: {duration: 10}\n",
			`s.yaml:3:19: trial.duration: expected a duration from 1s to 24h, got "10" (write it with a unit, such as 500ms, 10s or 2m)`},
		{"duration too short", minimal + "trial: {duration: 500ms}\n",
			`s.yaml:3:19: trial.duration: expected a duration from 1s to 24h, got "500ms"`},
		{"warmup negative", minimal + "trial: {warmup: -1s}\n",
			`s.yaml:3:17: trial.warmup: expected a duration from 0s to 24h, got "-1s"`},
		{"warmup in other words", minimal + "trial: {warmup: until it is steady}\n",
			`s.yaml:3:17: trial.warmup: expected a duration from 0s to 24h, got "until it is steady" (write it with a unit, such as 500ms, 10s or 2m)`},
		{"steady for how long", minimal + "trial: {warmup: steady 10s}\n",
			`s.yaml:3:17: trial.warmup: expected how long it takes at least and at most, got "steady 10s" (write steady, or steady 5s..30s)`},
		{"steady without a unit", minimal + "trial: {warmup: steady 5..30}\n",
			`s.yaml:3:17: trial.warmup: "5" is not a duration (write steady, or steady 5s..30s)`},
		{"steady at once", minimal + "trial: {warmup: steady 0s..2s}\n",
			`s.yaml:3:17: trial.warmup: it may take from 5s to 24h0m0s at most, and longer than at least, got "steady 0s..2s" (write steady, or steady 5s..30s)`},
		{"steady backwards", minimal + "trial: {warmup: steady 9s..8s}\n",
			`s.yaml:3:17: trial.warmup: it may take from 5s to 24h0m0s at most, and longer than at least, got "steady 9s..8s" (write steady, or steady 5s..30s)`},
		{"duration is a list", minimal + "trial: {duration: [1s]}\n",
			"s.yaml:3:19: trial.duration: expected a duration from 1s to 24h, got a list (write it with a unit, such as 500ms, 10s or 2m)"},
		{"blocks zero", minimal + "blocks: 0\n",
			`s.yaml:3:9: blocks: expected a whole number from 1 to 10000, got "0"`},
		{"blocks too many", minimal + "blocks: 10001\n",
			`s.yaml:3:9: blocks: expected a whole number from 1 to 10000, got "10001"`},
		{"blocks is nothing", minimal + "blocks:\n",
			"s.yaml:3:8: blocks: expected a whole number from 1 to 10000, got nothing"},
		{"blocks is a list", minimal + "blocks: [6]\n",
			"s.yaml:3:9: blocks: expected a whole number from 1 to 10000, got a list"},
		{"placement", minimal + "placement: splt\n",
			`s.yaml:3:12: placement: expected split, shared or {generator: [0], subject: [1]}, got "splt"`},
		{"placement explicit", minimal + "placement: explicit\n",
			`s.yaml:3:12: placement: expected split, shared or {generator: [0], subject: [1]}, got "explicit"`},
		{"placement is a list", minimal + "placement: [0]\n",
			"s.yaml:3:12: placement: expected split, shared or {generator: [0], subject: [1]}, got a list"},
		{"placement without CPUs", minimal + "placement: {}\n",
			`s.yaml:3:12: placement: explicit placement lacks generator (add: generator: [0])
s.yaml:3:12: placement: explicit placement lacks subject (add: subject: [0])`},
		{"placement of one", minimal + "placement: {generator: [0]}\n",
			"s.yaml:3:12: placement: explicit placement lacks subject (add: subject: [0])"},
		{"CPU", minimal + "placement: {generator: [0], subject: [-1, 4096]}\n",
			`s.yaml:3:39: placement.subject[0]: expected a whole number from 0 to 4095, got "-1"
s.yaml:3:43: placement.subject[1]: expected a whole number from 0 to 4095, got "4096"`},
		{"no CPU", minimal + "placement: {generator: [], subject: [1]}\n",
			"s.yaml:3:24: placement.generator: expected at least one item, got an empty list"},
		{"keep what isn't", minimal + "keep: [heap]\n",
			`s.yaml:3:8: keep[0]: "heap" is not one of the choices (valid: cpu, off-cpu, pprof, flight, buffers, packets)`},
		{"keep nothing", minimal + "keep: true\n",
			`s.yaml:3:7: keep: expected a list, got "true" (write it as [a, b] or one "- item" a line)`},
		{"keep flights of what isn't known", minimal + "keep: [flight]\n",
			`s.yaml:3:7: keep: flight takes evidence of requests, to know which are slow (add: explain: true)`},
		{"keep profiles that nobody offers", minimal + "keep: [pprof]\n",
			`s.yaml:3:7: keep: no subject says where its profiles are (add to a subject: pprof: /debug/pprof)`},
		{"metric", minimal + "report: [p99]\n",
			`s.yaml:3:10: report[0]: "p99" is not one of the choices (did you mean "response.p99"?)`},
		{"metric misspelt", minimal + "report: [thruput, respones.p50]\n",
			`s.yaml:3:10: report[0]: "thruput" is not one of the choices (valid: throughput, cpu, cpu.user, cpu.sys, rss, pss, threads, open_files, switches, preemptions, run_queue, received and 41 more)
s.yaml:3:19: report[1]: "respones.p50" is not one of the choices (did you mean "response.p50"?)`},
		{"metric, none near", minimal + "report: [joules]\n",
			`s.yaml:3:10: report[0]: "joules" is not one of the choices (valid: throughput, cpu, cpu.user, cpu.sys, rss, pss, threads, open_files, switches, preemptions, run_queue, received and 41 more)`},
		{"metric twice", minimal + "report: [cpu, cpu]\n",
			`s.yaml:3:15: report[1]: "cpu" is given twice (remove one of them)`},
		{"no metric", minimal + "report: []\n",
			"s.yaml:3:9: report: expected at least one item, got an empty list"},
		{"quick is a text", minimal + "quick: true\n",
			`s.yaml:3:8: quick: expected fields (name: value), got "true"`},
		{"quick, unknown field", minimal + "quick: {block: 3}\n",
			`s.yaml:3:9: quick.block: unknown field (did you mean "blocks"?)`},
		{"quick, blocks", minimal + "quick: {blocks: 0}\n",
			`s.yaml:3:17: quick.blocks: expected a whole number from 1 to 10000, got "0"`},
		{"quick, trial", minimal + "quick: {trial: {duration: 0s}}\n",
			`s.yaml:3:27: quick.trial.duration: expected a duration from 1s to 24h, got "0s"`},
		{"quick, unknown load", minimal + `loads: [{name: steady, open: {rate: 1}}]
quick: {loads: [stedy]}
`,
			`s.yaml:4:17: quick.loads[0]: "stedy" is not one of the choices (did you mean "steady"?)`},
		{"quick, factor that isn't varied", minimal + `factors: {connections: [1, 2]}
quick: {factors: {rate: [1]}}
`,
			"s.yaml:4:19: quick.factors.rate: the study has no factor of this name (valid: connections)"},
		{"quick, factor twice", minimal + `factors: {connections: [1, 2]}
quick: {factors: {connections: [1], connections: [2]}}
`,
			"s.yaml:4:37: quick.factors.connections: the field is given twice (remove one of them)"},
		{"quick, level", minimal + `factors: {connections: [1, 2]}
quick: {factors: {connections: [0]}}
`,
			`s.yaml:4:33: quick.factors.connections[0]: expected a whole number from 1 to 1000000, got "0"`},
	})
}
