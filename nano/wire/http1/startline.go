package http1

import "bytes"

// Refusals of a request line.
var (
	errMethod      = &Error{400, "RFC 9112 3.1", "method is not a token followed by one space"}
	errTargetRaw   = &Error{400, "RFC 9112 3.2", "request target holds a raw byte above 0x7e: it must be percent-encoded (RFC 3986 2.1)"}
	errTarget      = &Error{400, "RFC 9112 3.2", "request target holds a space, a control character, \"#\" or a backslash"}
	errEscape      = &Error{400, "RFC 3986 2.1", "\"%\" in a path not followed by two hexadecimal digits"}
	errTargetForm  = &Error{400, "RFC 9112 3.2", "request target is not in a form that the method allows"}
	errVersion     = &Error{400, "RFC 9112 2.3", "request line does not end in one space and HTTP/1.x"}
	errVersionElse = &Error{505, "RFC 9110 15.6.6", "HTTP version other than 1.x"}
)

const (
	methodGet = 'G' | 'E'<<8 | 'T'<<16 | ' '<<24
	version11 = 'H' | 'T'<<8 | 'T'<<16 | 'P'<<24 | '/'<<32 | '1'<<40 | '.'<<48 | '1'<<56
	version10 = version11 &^ (1 << 56)
)

// emptyLine is where the request line starts: after one empty line, if there is
// one (RFC 9112 2.2).
func emptyLine(b []byte) int {
	if len(b) > 1 && b[0] == '\r' && b[1] == '\n' {
		return 2
	}
	return 0
}

// startLine reads the request line and readies r for the fields. An error says
// what is wrong with the line if it is complete. n is where the fields start.
func (r *Request) startLine(b []byte, uri int) (n int, err error) {
	start := emptyLine(b)
	if len(b)-start < 4 {
		return 0, errMethod
	}
	end := start + 3
	if load32(b[start:]) != methodGet {
		if end = start; !token[b[end]] {
			return 0, errMethod
		}
		for end < len(b) && token[b[end]] {
			end++
		}
		if end == len(b) || b[end] != ' ' {
			return 0, errMethod
		}
	}
	r.Method = span(start, end)
	r.Form, r.Query, r.Host, r.Escaped = OriginForm, Span{}, Span{}, false

	target := end + 1
	if target < len(b) && b[target] == '/' {
		end, err = r.pathAndQuery(b, target)
	} else {
		end, err = r.otherForm(b, target)
	}
	if err != nil {
		return 0, err
	}
	r.Target = span(target, end)
	if n, err = r.version(b, end); err != nil {
		return 0, err
	}
	if end-target > uri {
		return 0, errURILong
	}
	if err := r.checkForm(b); err != nil {
		return 0, err
	}
	r.Fields = r.Fields[:0]
	r.hostField, r.expects, r.hasUpgrade = false, false, false
	r.framing = fieldsOf{length: -1, keepAlive: r.Minor > 0}
	return n, nil
}

// version reads the version after the target, which ends at b[end], and the end
// of the line.
func (r *Request) version(b []byte, end int) (n int, err error) {
	if len(b)-end >= len(" HTTP/1.1\r\n") && b[end+9] == '\r' && b[end+10] == '\n' {
		switch load64(b[end+1:]) {
		case version11:
			r.Minor = 1
			return end + 11, nil
		case version10:
			r.Minor = 0
			return end + 11, nil
		}
	}
	return r.otherVersion(b, end)
}

// otherVersion accepts a later minor version, to be read as the highest one known (RFC
// 9110 2.5), and refuses what isn't HTTP/1.x.
func (r *Request) otherVersion(b []byte, end int) (n int, err error) {
	version, _, complete := bytes.Cut(b[end+1:], []byte("\r\n"))
	if !complete || len(version) != len("HTTP/1.1") || string(version[:5]) != "HTTP/" ||
		!isDigit(version[5]) || version[6] != '.' || !isDigit(version[7]) {
		return 0, errVersion
	}
	if version[5] != '1' {
		return 0, errVersionElse
	}
	r.Minor = 1
	return end + len(" HTTP/1.1\r\n"), nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
