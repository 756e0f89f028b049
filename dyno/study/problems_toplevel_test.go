package study

import "testing"

func TestTopLevelProblems(t *testing.T) {
	checkProblems(t, []problemCase{
		{"no name", "subjects: [go/gin]\n",
			"s.yaml:1:1: the study has no name (add: study: my-study)"},
		{"no subjects", "study: s\n",
			"s.yaml:1:1: the study has no subjects (add: subjects: [go/nethttp])"},
		{"unknown field", minimal + "lodas: []\n",
			`s.yaml:3:1: lodas: unknown field (did you mean "loads"?)`},
		{"unknown field, none near", minimal + "frobnicate: 1\n",
			"s.yaml:3:1: frobnicate: unknown field (valid: study, question, subjects, reference, requests, feeds, factors, design, loads, trial, blocks, twin and 10 more)"},
		{"unknown field in another case", minimal + "Blocks: 6\n",
			`s.yaml:3:1: Blocks: unknown field (did you mean "blocks"?)`},
		{"field twice", minimal + `blocks: 1
blocks: 2
`,
			"s.yaml:4:1: blocks: the field is given twice (remove one of them)"},
		{"merge key", minimal + "<<: {blocks: 3}\n",
			"s.yaml:3:1: <<: unknown field (valid: study, question, subjects, reference, requests, feeds, factors, design, loads, trial, blocks, twin and 10 more)"},
		{"empty key", minimal + `"": 1
`,
			`s.yaml:3:1: expected a field's name, got ""`},
		{"list as key", minimal + "[a]: 1\n",
			"s.yaml:3:1: expected a field's name, got a list"},
		{"control characters in a key", minimal + `"a\e[31m": 1
`,
			`s.yaml:3:1: "a\x1b[31m": unknown field (valid: study, question, subjects, reference, requests, feeds, factors, design, loads, trial, blocks, twin and 10 more)`},
		{"long key", minimal + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: 1\n",
			`s.yaml:3:1: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"…: unknown field (valid: study, question, subjects, reference, requests, feeds, factors, design, loads, trial, blocks, twin and 10 more)`},
		{"bad name", `study: my study
subjects: [go/gin]
`,
			`s.yaml:1:8: study: expected a name of at most 64 letters, digits, dots, dashes and underscores that starts with a letter or digit, got "my study"`},
		{"name that starts with a dot", `study: ..
subjects: [go/gin]
`,
			`s.yaml:1:8: study: expected a name of at most 64 letters, digits, dots, dashes and underscores that starts with a letter or digit, got ".."`},
		{"name is nothing", `study:
subjects: [go/gin]
`,
			"s.yaml:1:7: study: expected a name of at most 64 letters, digits, dots, dashes and underscores that starts with a letter or digit, got nothing"},
		{"name is a list", `study: [a]
subjects: [go/gin]
`,
			"s.yaml:1:8: study: expected a name of at most 64 letters, digits, dots, dashes and underscores that starts with a letter or digit, got a list"},
		{"name too long", `study: nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn
subjects: [go/gin]
`,
			`s.yaml:1:8: study: expected a name of at most 64 letters, digits, dots, dashes and underscores that starts with a letter or digit, got "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"…`},
		{"question is a list", minimal + "question: [a]\n",
			"s.yaml:3:11: question: expected a text, got a list (quote it if it is meant as a text)"},
		{"question with an escape", minimal + `question: "\e[2J"
`,
			`s.yaml:3:11: question: expected a text without control characters, got '\x1b' in it`},
		{"binary tag", minimal + "question: !!binary aGk=\n",
			`s.yaml:3:11: question: expected a text, got a value with the tag "!!binary"`},
		{"tag of one's own", minimal + "question: !secret x\n",
			`s.yaml:3:11: question: expected a text, got a value with the tag "!secret"`},
		{"unknown reference", minimal + "reference: go/gni\n",
			`s.yaml:3:12: reference: "go/gni" is not one of the choices (did you mean "go/gin"?)`},
		{"reference is empty", minimal + `reference: ""
`,
			`s.yaml:3:12: reference: "" is not one of the choices (valid: go/gin)`},
		{"reference is a list", minimal + "reference: [go/gin]\n",
			"s.yaml:3:12: reference: expected a text, got a list (quote it if it is meant as a text)"},
		{"column counts characters", `{study: s, question: "äöü", subject: [go/gin], subjects: [go/gin]}
`,
			`s.yaml:1:29: subject: unknown field (did you mean "subjects"?)`},
	})
}
