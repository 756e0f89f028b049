package engine

import (
	"bytes"

	"dyno/nano/wire/http2"
)

// message is a request as HTTP/2 needs it: views into its text, which is as HTTP/1.1
// has it (RFC 9112 2.1).
type message struct {
	method, path, authority []byte
	fields                  []messageField
	body                    []byte
}

type messageField struct {
	known       http2.Name // 0: it goes by its name
	name, value []byte
}

var lineEnd = []byte("\r\n")

// parse takes a request apart, which was rendered here: what could be wrong with it
// was found before. Its Host field becomes the authority (RFC 9113 8.3.1). It
// allocates nothing once msg has had as many fields.
func (msg *message) parse(text []byte) {
	line, text, _ := bytes.Cut(text, lineEnd)
	msg.fields = msg.fields[:0]
	msg.method, line, _ = bytes.Cut(line, space)
	msg.path = line[:max(bytes.LastIndexByte(line, ' '), 0)]
	msg.authority = nil
	for {
		line, text, _ = bytes.Cut(text, lineEnd)
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, colon)
		value = bytes.Trim(value, " \t")
		known := http2.NameOf(name)
		if known == http2.NameHost {
			msg.authority = value
			continue
		}
		msg.fields = append(msg.fields, messageField{known, name, value})
	}
	msg.body = text
}

var space, colon = []byte(" "), []byte(":")
