package nano

import (
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"dyno/nano/internal/exchange"
	"dyno/nano/wire/http1"
)

// layFields makes the lines of the response's head from the header as it is now.
// Later changes of it are only for trailers.
func (b *bridge) layFields() {
	x := b.x
	_, b.typed = b.header["Content-Type"]
	b.typed = b.typed || b.header.Get("Content-Encoding") != "" || b.header.Get("Transfer-Encoding") != ""
	x.Fields = x.Fields[:0]
	eachField(b.header, func(name, value string) {
		switch {
		case name == "Content-Length", name == "Transfer-Encoding", strings.HasPrefix(name, http.TrailerPrefix):
			return
		case name == "Content-Type" && b.status == http.StatusNotModified:
			return
		case name == "Trailer":
			b.declareTrailers(value)
		}
		x.Fields = appendField(x.Fields, name, value)
	})
}

// declareTrailers notes the names of trailers that may be sent (RFC 9110 6.5.1).
func (b *bridge) declareTrailers(list string) {
	for name := range strings.SplitSeq(list, ",") {
		name = textproto.CanonicalMIMEHeaderKey(textproto.TrimString(name))
		switch name {
		case "", "Transfer-Encoding", "Content-Length", "Trailer":
			continue
		}
		b.announced = append(b.announced, name)
	}
}

// trailerLines returns the trailers: those announced, and those with
// http.TrailerPrefix, which need not be.
func (b *bridge) trailerLines() (lines []byte) {
	for _, name := range b.announced {
		for _, v := range b.header[name] {
			lines = appendField(lines, name, v)
		}
	}
	eachField(b.header, func(name, value string) {
		if name, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			lines = appendField(lines, name, value)
		}
	})
	return lines
}

// eachField calls f for the fields of h, sorted by name.
func eachField(h http.Header, f func(name, value string)) {
	var few [16]string
	names := few[:0]
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, v := range h[name] {
			f(name, v)
		}
	}
}

// eachLine calls f for lines of fields.
func eachLine(lines []byte, f func(name, value string)) {
	for len(lines) > 0 {
		line, end := exchange.CutLine(lines)
		if name, value, ok := strings.Cut(string(line), ":"); ok {
			f(name, strings.TrimLeft(value, " "))
		}
		lines = lines[end:]
	}
}

// appendField appends a field as net/http would send it: one with a wrong name is
// left out, and what must not be in a value becomes a space (RFC 9110 5.5).
func appendField(lines []byte, name, value string) []byte {
	if !http1.ValidToken(name) {
		return lines
	}
	value = textproto.TrimString(value)
	lines = append(append(lines, name...), ": "...)
	if http1.ValidFieldValue(value) {
		lines = append(lines, value...)
	} else {
		for i := range len(value) {
			c := value[i]
			if c < ' ' && c != '\t' || c == 0x7f {
				c = ' '
			}
			lines = append(lines, c)
		}
	}
	return append(lines, "\r\n"...)
}
