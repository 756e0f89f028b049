package request

import (
	"bytes"
	"time"
)

// Examples renders each request once, to check that they get responses before a load is
// put on. Credentials and cookies become headers. Requests that depend on what earlier
// responses have set, those with a cookie jar, are left out. The body of a call over
// gRPC is its first message as it goes over the wire.
func Examples(requests []Request, feeds []Feed) ([]Request, error) {
	env, err := Environment(feeds)
	if err != nil {
		return nil, err
	}
	s := env.NewState(0, 0, 1)
	s.Now = time.Now().UnixNano()
	var examples []Request
	for i := range requests {
		r := &requests[i]
		if r.Jar {
			continue
		}
		w, err := Compile(r, "host", "HTTP/1.1", env)
		if err != nil {
			return nil, err
		}
		s.Advance(w.Uses)
		wire, _ := w.Append(nil, nil, s, nil)
		examples = append(examples, r.as(wire))
	}
	return examples, nil
}

// as returns the request with what it is on the wire. Fields that depend on
// where it is sent and on the body are left to the sender.
func (r *Request) as(wire []byte) Request {
	head, body, _ := bytes.Cut(wire, []byte("\r\n\r\n"))
	line, rest, _ := bytes.Cut(head, []byte("\r\n"))
	method, target, _ := bytes.Cut(line, []byte(" "))
	path, _, _ := bytes.Cut(target, []byte(" "))
	e := Request{Name: r.Name, Method: string(method), Path: string(path), Body: string(body), Weight: r.Weight, Status: r.Status, Expect: r.Expect, GRPC: r.GRPC}
	for field := range bytes.SplitSeq(rest, []byte("\r\n")) {
		name, value, _ := bytes.Cut(field, []byte(": "))
		added := Request{Headers: []Header{{Name: string(name)}}}
		if added.has("Host") && !r.has("Host") || added.has("Content-Length") && !r.has("Content-Length") || len(name) == 0 {
			continue
		}
		e.Headers = append(e.Headers, Header{Name: string(name), Value: string(value)})
	}
	return e
}
