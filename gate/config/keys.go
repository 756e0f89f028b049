package config

import "strings"

// Keys lets in who has one of the keys in a file.
type Keys struct {
	At      At
	File    string // "name: key" a line; read again when it changes
	Header  string // in lower case: where the key stands
	Forward string // the field, in lower case, that tells the upstream the key's name; "": none
}

func readKeys(p place) *Keys {
	k := &Keys{At: p.at(), Header: "x-api-key"}
	found := readFields(p, k, []known[Keys]{
		{"file", func(k *Keys, p place) { k.File = p.path() }},
		{"header", func(k *Keys, p place) { k.Header = strings.ToLower(p.token("header field")) }},
		{"forward", func(k *Keys, p place) { k.Forward = readForwardName(p) }},
	})
	if _, ok := found["file"]; !ok && p.isMapping() {
		p.problem("such as file: ./keys.txt, with a line \"name: key\" for each", "keys need a file")
	}
	return k
}

// readForwardName reads the name of a field that an upstream is given.
func readForwardName(p place) string {
	return strings.ToLower(readFieldName(p, p.token("header field")))
}
