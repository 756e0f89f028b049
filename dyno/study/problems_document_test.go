package study

import "testing"

func TestDocumentProblems(t *testing.T) {
	checkProblems(t, []problemCase{
		{"empty", "",
			`s.yaml: expected a study, got an empty file ("dyno study init" writes one to start from)`},
		{"only a comment", "# nothing yet\n",
			`s.yaml: expected a study, got an empty file ("dyno study init" writes one to start from)`},
		{"null", "~\n",
			"s.yaml:1:1: expected the fields of a study, got nothing (start it with: study: my-study)"},
		{"a list", "- study\n",
			"s.yaml:1:1: expected the fields of a study, got a list (start it with: study: my-study)"},
		{"a text", "hello\n",
			`s.yaml:1:1: expected the fields of a study, got "hello" (start it with: study: my-study)`},
		{"an empty mapping", "{}\n",
			`s.yaml:1:1: the study has no name (add: study: my-study)
s.yaml:1:1: the study has no subjects (add: subjects: [go/nethttp])`},
		{"two documents", minimal + `---
study: t
`,
			"s.yaml:3: expected one study, got a second YAML document"},
		{"two documents, the first empty", `---
---
study: s
subjects: [go/gin]
`,
			"s.yaml:2: expected one study, got a second YAML document"},
		{"not UTF-8", minimal + "question: a\xff\n",
			"s.yaml:3:12: expected UTF-8 text, got byte 0xff"},
		{"UTF-16", "\xff\xfes\x00",
			"s.yaml:1:1: expected UTF-8 text, got byte 0xff"},
		{"control character", "study: \x1b[31m\n",
			"s.yaml:1:8: expected UTF-8 text, got control character 0x1b"},
		{"C1 control character", minimal + "question: é\u009b\n",
			"s.yaml:3:12: expected UTF-8 text, got control character 0x9b"},
		{"tab indentation", named + "subjects:\n\t- go/gin\n",
			"s.yaml:3: expected YAML: found character that cannot start any token (indent with spaces, not tabs, and quote a text that starts with @, ` or %)"},
		{"unclosed bracket", named + `subjects: [go/gin
blocks: 3
`,
			"s.yaml:2: expected YAML: did not find expected ',' or ']' (close the bracket or brace, and quote a text that holds ? or a comma)"},
		{"unclosed quote", minimal + `question: "why
`,
			"s.yaml:3: expected YAML: found unexpected end of stream (a quote is not closed)"},
		{"colon in a text", minimal + "question: why: because\n",
			`s.yaml:3: expected YAML: mapping values are not allowed in this context (check the indentation, and quote a text that holds ": ")`},
		{"a text that starts with a mark", minimal + "question: @all\n",
			"s.yaml:3: expected YAML: found character that cannot start any token (indent with spaces, not tabs, and quote a text that starts with @, ` or %)"},
		{"wrong indentation", `study: s
 subjects: [go/gin]
`,
			`s.yaml:2: expected YAML: mapping values are not allowed in this context (check the indentation, and quote a text that holds ": ")`},
		{"unknown anchor", minimal + "question: *why\n",
			"s.yaml:3:11: expected an anchor &why before its use"},
		{"alias of itself", named + "subjects: &a [*a]\n",
			"s.yaml:2:15: expected a study of ordinary size, got aliases that repeat too much or themselves (write it out)"},
	})
}
