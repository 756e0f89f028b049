package http1

import "bytes"

// pathAndQuery reads an absolute path and the query after it from b[start]. end
// is the index of the space that ends the target.
func (r *Request) pathAndQuery(b []byte, start int) (end int, err error) {
	end, err = r.pathThenQuery(b, start)
	if err == nil && (end == len(b) || b[end] != ' ') {
		return 0, wrongTarget(b, end)
	}
	return end, err
}

// pathThenQuery reads as far as they go.
func (r *Request) pathThenQuery(b []byte, start int) (end int, err error) {
	end = start
	for {
		end = pathByte.endOf(b, end)
		if end == len(b) || b[end] != '%' {
			break
		}
		if end+2 >= len(b) || hexDigit(b[end+1]) < 0 || hexDigit(b[end+2]) < 0 {
			return 0, errEscape
		}
		r.Escaped = true
		end += 3
	}
	r.Path = span(start, end)
	if end < len(b) && b[end] == '?' {
		query := end + 1
		end = targetEnd(b, query)
		r.Query = span(query, end)
	}
	return end, nil
}

// wrongTarget is why the target can't go on at b[end].
func wrongTarget(b []byte, end int) error {
	if end < len(b) && b[end] > 0x7e {
		return errTargetRaw
	}
	return errTarget
}

// targetEnd is the index of the first byte from i on that can't stand in a
// query: a space, a control character, one above 0x7e, or "#".
func targetEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		w := load64(b[i:])
		if stop := outside(w, '!') | equal(w, '#') | w&highs; stop != 0 {
			return i + first(stop)
		}
	}
	for i < len(b) && b[i] > ' ' && b[i] < 0x7f && b[i] != '#' {
		i++
	}
	return i
}

// otherForm reads a target that does not start with a slash from b[start].
func (r *Request) otherForm(b []byte, start int) (end int, err error) {
	end = targetEnd(b, start)
	if end == len(b) || b[end] != ' ' || end == start {
		return 0, wrongTarget(b, end)
	}
	target := b[start:end]
	r.Path = span(start, end)
	switch {
	case len(target) == 1 && target[0] == '*':
		r.Form = AsteriskForm
	case string(r.Method.Of(b)) == "CONNECT":
		r.Form, r.Host = AuthorityForm, r.Path
	default:
		r.Form = AbsoluteForm
		return r.absolute(b, start)
	}
	return end, nil
}

// absolute reads a target in absolute-form (RFC 9112 3.2.2).
func (r *Request) absolute(b []byte, start int) (end int, err error) {
	rest := b[start:]
	switch {
	case len(rest) > 7 && EqualFold(rest[:7], "http://"):
		start += 7
	case len(rest) > 8 && EqualFold(rest[:8], "https://"):
		start += 8
	default:
		return 0, errTargetForm
	}
	host := bytes.IndexAny(b[start:], "/? ") + start
	r.Host = span(start, host)
	if err := checkHost(b[start:host]); err != nil {
		return 0, err
	}
	return r.pathAndQuery(b, host)
}

// checkForm holds the target's form against the method: authority-form is for
// CONNECT and CONNECT for it, the asterisk is for OPTIONS (RFC 9112 3.2.3, 3.2.4).
func (r *Request) checkForm(b []byte) error {
	switch r.Form {
	case AuthorityForm:
		return checkAuthority(r.Target.Of(b))
	case AsteriskForm:
		if string(r.Method.Of(b)) != "OPTIONS" {
			return errTargetForm
		}
	default:
		if r.Method.Len() == len("CONNECT") && string(r.Method.Of(b)) == "CONNECT" {
			return errTargetForm
		}
	}
	return nil
}
