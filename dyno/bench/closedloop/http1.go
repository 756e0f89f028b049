//go:build linux

package closedloop

import (
	"bytes"
	"fmt"
	"strconv"
)

// HTTP1 gets a path over HTTP/1.1, from a server that says with each response how long it
// is.
func HTTP1(path string) func() Protocol {
	request := []byte("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
	return func() Protocol { return &http1{request} }
}

type http1 struct{ request []byte }

func (h *http1) Greet(out []byte) []byte            { return out }
func (h *http1) Ready() bool                        { return true }
func (h *http1) Request(out []byte) ([]byte, error) { return append(out, h.request...), nil }

func (h *http1) Read(out, in []byte) (_ []byte, used, responses int, err error) {
	for {
		head, rest, whole := bytes.Cut(in[used:], []byte("\r\n\r\n"))
		if !whole {
			return out, used, responses, nil
		}
		length, err := lengthOf(head)
		if err != nil {
			return out, used, responses, err
		}
		if len(rest) < length {
			return out, used, responses, nil
		}
		used += len(head) + 4 + length
		responses++
	}
}

// lengthOf is the length of the body behind the head of a response.
func lengthOf(head []byte) (int, error) {
	first, fields, _ := bytes.Cut(head, []byte("\r\n"))
	if !bytes.HasPrefix(first, []byte("HTTP/1.1 200")) {
		return 0, fmt.Errorf("a response begins with %q", first)
	}
	for len(fields) > 0 {
		var line []byte
		line, fields, _ = bytes.Cut(fields, []byte("\r\n"))
		const name = "content-length:"
		if len(line) > len(name) && bytes.EqualFold(line[:len(name)], []byte(name)) {
			return strconv.Atoi(string(bytes.TrimSpace(line[len(name):])))
		}
	}
	return 0, fmt.Errorf("a response doesn't say how long it is: %q", head)
}
