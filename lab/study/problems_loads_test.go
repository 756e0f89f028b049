package study

import "testing"

func TestLoadsProblems(t *testing.T) {
	checkProblems(t, []problemCase{
		{"not a list", minimal + "loads: {closed: {}}\n",
			`s.yaml:3:8: loads: expected a list, got fields (write it as [a, b] or one "- item" a line)`},
		{"item is a text", minimal + "loads: [saturate]\n",
			`s.yaml:3:9: loads[0]: expected fields (name: value), got "saturate"`},
		{"neither", minimal + "loads: [{name: a}]\n",
			"s.yaml:3:9: loads[0]: expected exactly one of closed and open (closed: {connections: 64}, or open: {rate: 1000})"},
		{"both", minimal + "loads: [{closed: {}, open: {rate: 1}}]\n",
			"s.yaml:3:9: loads[0]: expected exactly one of closed and open (closed: {connections: 64}, or open: {rate: 1000})"},
		{"unknown field", minimal + "loads: [{opne: {rate: 1}}]\n",
			`s.yaml:3:10: loads[0].opne: unknown field (did you mean "open"?)`},
		{"closed is nothing", minimal + "loads: [{closed: }]\n",
			"s.yaml:3:18: loads[0].closed: expected fields (name: value), got nothing"},
		{"open without a rate", minimal + "loads: [{open: {connections: 1}}]\n",
			"s.yaml:3:16: loads[0].open: an open load needs a rate (add: rate: 1000)"},
		{"rate zero", minimal + "loads: [{open: {rate: 0}}]\n",
			`s.yaml:3:23: loads[0].open.rate: expected a number from 0.001 to 10000000, got "0"`},
		{"rate too high", minimal + "loads: [{open: {rate: 1e8}}]\n",
			`s.yaml:3:23: loads[0].open.rate: expected a number from 0.001 to 10000000, got "1e8"`},
		{"rate is not a number", minimal + "loads: [{open: {rate: .nan}}]\n",
			`s.yaml:3:23: loads[0].open.rate: expected a number from 0.001 to 10000000, got ".nan"`},
		{"rate is hexadecimal", minimal + "loads: [{open: {rate: 0x10}}]\n",
			`s.yaml:3:23: loads[0].open.rate: expected a number from 0.001 to 10000000, got "0x10"`},
		{"rate has a unit", minimal + "loads: [{open: {rate: 1000/s}}]\n",
			`s.yaml:3:23: loads[0].open.rate: expected a number from 0.001 to 10000000, got "1000/s"`},
		{"rate is a list", minimal + "loads: [{open: {rate: [1]}}]\n",
			"s.yaml:3:23: loads[0].open.rate: expected a number from 0.001 to 10000000, got a list"},
		{"arrivals", minimal + "loads: [{open: {rate: 1, arrivals: possion}}]\n",
			`s.yaml:3:36: loads[0].open.arrivals: "possion" is not one of the choices (did you mean "poisson"?)`},
		{"connections zero", minimal + "loads: [{closed: {connections: 0}}]\n",
			`s.yaml:3:32: loads[0].closed.connections: expected a whole number from 1 to 1000000, got "0"`},
		{"connections too many", minimal + "loads: [{closed: {connections: 1000001}}]\n",
			`s.yaml:3:32: loads[0].closed.connections: expected a whole number from 1 to 1000000, got "1000001"`},
		{"connections in octal", minimal + "loads: [{closed: {connections: 0100}}]\n",
			`s.yaml:3:32: loads[0].closed.connections: expected a whole number from 1 to 1000000, got "0100"`},
		{"rate in a closed loop", minimal + "loads: [{closed: {rate: 100}}]\n",
			"s.yaml:3:19: loads[0].closed.rate: unknown field (valid: connections, think)"},
		{"bad name", minimal + "loads: [{name: a b, closed: {}}]\n",
			`s.yaml:3:16: loads[0].name: expected a name of at most 64 letters, digits, dots, dashes and underscores that starts with a letter or digit, got "a b"`},
		{"two of one name", minimal + `loads:
  - closed: {}
  - closed: {connections: 1}
`,
			`s.yaml:5:5: loads[1]: two loads are called "closed" (give one of them another name)`},
		{"timeout without a unit", minimal + "loads: [{closed: {}, timeout: 10}]\n",
			`s.yaml:3:31: loads[0].timeout: expected a duration from 1ms to 10m, got "10" (write it with a unit, such as 500ms, 10s or 2m)`},
		{"timeout too long", minimal + "loads: [{closed: {}, timeout: 1h}]\n",
			`s.yaml:3:31: loads[0].timeout: expected a duration from 1ms to 10m, got "1h" (write it with a unit, such as 500ms, 10s or 2m)`},
	})
}
