package study

import "testing"

func TestRequestsProblems(t *testing.T) {
	checkProblems(t, []problemCase{
		{"not a list", minimal + "requests: {get: /}\n",
			`s.yaml:3:11: requests: expected a list, got fields (write it as [a, b] or one "- item" a line)`},
		{"item is a text", minimal + "requests: [/json]\n",
			`s.yaml:3:12: requests[0]: expected fields (name: value), got "/json"`},
		{"unknown field", minimal + "requests: [{gte: /}]\n",
			`s.yaml:3:13: requests[0].gte: unknown field (did you mean "get"?)`},
		{"no method", minimal + "requests: [{name: a}]\n",
			"s.yaml:3:12: requests[0]: expected one method and path, got 0 (write it as: get: /path)"},
		{"two methods", minimal + "requests: [{get: /, post: /}]\n",
			"s.yaml:3:12: requests[0]: expected one method and path, got 2 (write it as: get: /path)"},
		{"method without path", minimal + "requests: [{get: /, method: POST}]\n",
			"s.yaml:3:29: requests[0].method: method goes with path (add: path: /)"},
		{"only a method", minimal + "requests: [{method: POST}]\n",
			"s.yaml:3:21: requests[0].method: method goes with path (add: path: /)"},
		{"method is no token", minimal + `requests: [{method: "GE T", path: /}]
`,
			`s.yaml:3:21: requests[0].method: method "GE T" is not an HTTP method`},
		{"CONNECT", minimal + "requests: [{method: connect, path: /}]\n",
			"s.yaml:3:21: requests[0].method: method CONNECT opens a tunnel and can't be measured as a request"},
		{"path without slash", minimal + "requests: [{get: json}]\n",
			`s.yaml:3:18: requests[0].get: expected a path that starts with "/", got "json"`},
		{"path is empty", minimal + `requests: [{get: ""}]
`,
			`s.yaml:3:18: requests[0].get: expected a path that starts with "/", got ""`},
		{"path is nothing", minimal + "requests: [{get: }]\n",
			`s.yaml:3:18: requests[0].get: expected a path that starts with "/", got nothing`},
		{"path with a space", minimal + "requests: [{get: /a b}]\n",
			`s.yaml:3:18: requests[0].get: path "/a b" holds white space or a control character; write it as %20 or the like`},
		{"name is empty", minimal + `requests: [{get: /, name: ""}]
`,
			"s.yaml:3:27: requests[0].name: expected a text, got an empty one"},
		{"two of one name", minimal + `requests:
  - get: /a
  - get: /a
`,
			`s.yaml:5:5: requests[1]: two requests are called "get /a" (add: name: …)`},
		{"two without a path", minimal + `requests:
  - {get: a}
  - {get: a}
`,
			`s.yaml:4:11: requests[0].get: expected a path that starts with "/", got "a"
s.yaml:5:11: requests[1].get: expected a path that starts with "/", got "a"`},
		{"headers are a list", minimal + "requests: [{get: /, headers: [a]}]\n",
			"s.yaml:3:30: requests[0].headers: expected fields (name: value), got a list"},
		{"header name", minimal + "requests: [{get: /, headers: {a b: c}}]\n",
			`s.yaml:3:31: requests[0].headers.a b: header name "a b" is not valid`},
		{"header value with a line end", minimal + `requests: [{get: /, headers: {a: "b\r\nc: d"}}]
`,
			"s.yaml:3:31: requests[0].headers.a: value of header a holds a control character"},
		{"header value is a list", minimal + "requests: [{get: /, headers: {a: [b]}}]\n",
			"s.yaml:3:34: requests[0].headers.a: expected a text, got a list (quote it if it is meant as a text)"},
		{"header that frames", minimal + "requests: [{post: /, headers: {content-length: 3}}]\n",
			"s.yaml:3:32: requests[0].headers.content-length: content-length can't be set: it follows from the body (remove it)"},
		{"body is fields", minimal + "requests: [{post: /, body: {a: 1}}]\n",
			"s.yaml:3:28: requests[0].body: expected a text, got fields (quote it if it is meant as a text)"},
		{"body and body_file", minimal + "requests: [{post: /, body: a, body_file: b}]\n",
			"s.yaml:3:42: requests[0].body_file: expected either body or body_file, got both (remove one of them)"},
		{"body_file is a list", minimal + "requests: [{post: /, body_file: [b]}]\n",
			"s.yaml:3:33: requests[0].body_file: expected a text, got a list (quote it if it is meant as a text)"},
		{"weight zero", minimal + "requests: [{get: /, weight: 0}]\n",
			`s.yaml:3:29: requests[0].weight: expected a whole number from 1 to 1000000, got "0"`},
		{"weight is a fraction", minimal + "requests: [{get: /, weight: 1.5}]\n",
			`s.yaml:3:29: requests[0].weight: expected a whole number from 1 to 1000000, got "1.5"`},
		{"expect is a number", minimal + "requests: [{get: /, expect: 200}]\n",
			`s.yaml:3:29: requests[0].expect: expected fields (name: value), got "200"`},
		{"status too low", minimal + "requests: [{get: /, expect: {status: 100}}]\n",
			`s.yaml:3:38: requests[0].expect.status: expected a whole number from 200 to 599, got "100"`},
		{"unknown expectation", minimal + "requests: [{get: /, expect: {statsu: 200}}]\n",
			`s.yaml:3:30: requests[0].expect.statsu: unknown field (did you mean "status"?)`},
	})
}
