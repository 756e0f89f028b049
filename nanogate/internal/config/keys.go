package config

import "strings"

// Keys lets in who has one of the keys in a file.
type Keys struct {
	At      At
	File    string // "name: key" a line; read again when it changes
	Header  string // in lower case: where the key stands
	Forward string // the field, in lower case, that tells the upstream the key's name; "": none

	Failures Failures // of addresses: a key that is wrong is nobody's
}

func readKeys(p place) *Keys {
	k := &Keys{At: p.At(), Header: "x-api-key", Failures: failuresOf(60, 0)}
	found := readFields(p, k, []known[Keys]{
		// `name: key` a line, read again when it changes. Default: required
		{"file", func(k *Keys, p place) { k.File = p.path() }},
		// The header field that holds the key.
		{"header", func(k *Keys, p place) { k.Header = strings.ToLower(p.token("header field")) }},
		// The header field that tells the upstream the key's name. Default: none
		{"forward", func(k *Keys, p place) { k.Forward = readForwardName(p) }},
		// How many wrong keys are tried before a client has to wait, such as `60/m`, or `off`.
		{"failures", func(k *Keys, p place) { k.Failures = readFailures(p, k.Failures, false) }},
	})
	if _, ok := found["file"]; !ok && p.IsMapping() {
		p.Problem("such as file: ./keys.txt, with a line \"name: key\" for each", "keys need a file")
	}
	return k
}
