package http1

// Heads that came in another form than HTTP/1.1's, such as HTTP/2's, as a [Request]:
// Begin, Add for each field, Conclude. What is judged in Parse is judged in the same
// way.

// Begin takes what stands in a request line: parts of b. Of CONNECT the target is the
// authority. uri bounds the target's length, in bytes.
func (r *Request) Begin(b []byte, method, target Span, uri int) error {
	r.Reset()
	r.Method, r.Target, r.Minor = method, target, 1
	r.framing = fieldsOf{length: -1, keepAlive: true}
	if target.Len() > uri {
		return errURILong
	}
	if target.Empty() {
		return errTargetForm
	}
	switch name, text := method.Of(b), target.Of(b); {
	case string(name) == "CONNECT":
		r.Form, r.Path, r.Host = AuthorityForm, target, target
	case string(text) == "*":
		r.Form, r.Path = AsteriskForm, target
	case text[0] != '/':
		return errTargetForm
	default:
		b = b[:target.End]
		end, err := r.pathThenQuery(b, int(target.Start))
		if err != nil {
			return err
		}
		if end < len(b) {
			return wrongTarget(b, end)
		}
	}
	return r.checkForm(b)
}

// Add takes a field, whose parts are of the b that Begin was given.
func (r *Request) Add(f Field, b []byte) error {
	r.Fields = append(r.Fields, f)
	return r.take(f, b)
}

// Conclude ends the head. There must have been a Host field, which stands for the
// :authority of the other form. unsized says that a body of unknown length follows, as
// one in chunks.
func (r *Request) Conclude(unsized bool) error {
	r.framing.chunked = unsized
	return r.conclude()
}
