package http2

import (
	"bytes"

	"dyno.example/nano/wire/http1"
)

// Messages that are malformed (RFC 9113 8.1.1): an error of their stream.
var (
	errName         = malformed("8.2.1", "field name is not a token in lower case")
	errValue        = malformed("8.2.1", "field value with a control character, or with white space around it")
	errPseudo       = malformed("8.3", "pseudo-header that is unknown, not one of this kind of message, or there twice")
	errPseudoLate   = malformed("8.3", "pseudo-header after a field")
	errConnection   = malformed("8.2.2", "field that is about a connection")
	errTE           = malformed("8.2.2", "TE other than trailers")
	errMissing      = malformed("8.3.1", "request without :method, :scheme or :path")
	errMethod       = malformed("8.3.1", ":method is not a token")
	errScheme       = malformed("8.3.1", ":scheme is not a scheme")
	errPath         = malformed("8.3.1", ":path that doesn't start with a slash, or has other than printable ASCII characters")
	errAuthority    = malformed("8.3.1", "host is not a name or address with an optional port")
	errNoAuthority  = malformed("8.3.1", "request without :authority and Host")
	errHosts        = malformed("8.3.1", "several Host fields, or one that is not what :authority is")
	errConnect      = malformed("8.5", "CONNECT with :scheme or :path, or without :authority")
	errProtocol     = &Error{ProtocolError, true, "RFC 8441 4", ":protocol without CONNECT, or where it was not allowed"}
	errStatus       = malformed("8.3.2", "response without a :status of three digits")
	errSwitching    = malformed("8.6", "status 101")
	errLength       = malformed("8.1.1", "Content-Length is not one plain decimal number")
	errLengths      = malformed("8.1.1", "several Content-Length fields")
	errLengthUnlike = malformed("8.1.1", "body is not as long as Content-Length says")
	errTrailersEnd  = malformed("8.1", "trailers that don't end the stream")
	errInterimEnd   = malformed("8.1", "interim response that ends the stream")
	errBodyEarly    = malformed("8.1", "body before the head")
)

func malformed(section, message string) *Error {
	return streamError(ProtocolError, "RFC 9113 "+section, message)
}

// request checks a request's head and takes it apart; connect says whether
// extended CONNECT was offered to the client.
func (h *Header) request(connect bool) *Error {
	i := 0
	for ; i < len(h.all); i++ {
		f := &h.all[i]
		var to *Span
		switch f.Known {
		case NameMethod:
			to = &h.Method
		case NamePath:
			to = &h.Path
		case NameScheme:
			to = &h.Scheme
		case NameAuthority:
			to = &h.Authority
		case NameProtocol:
			to = &h.Protocol
		}
		if to == nil {
			break
		}
		if *to != (Span{}) { // a value never starts at 0: there is a name before it
			return errPseudo
		}
		if f.flaws != 0 {
			return errValue
		}
		*to = f.Value
	}
	h.Fields = h.all[i:]
	if err := h.checkPseudo(connect); err != nil {
		return err
	}
	return h.checkFields(true)
}

// checkPseudo holds a request's pseudo-headers against each other (RFC 9113 8.3.1).
func (h *Header) checkPseudo(connect bool) *Error {
	method := h.Method.Of(h.Bytes)
	if h.Method.Empty() {
		return errMissing
	}
	if !methodByte.all(method) {
		return errMethod
	}
	if a := h.Authority; a != (Span{}) && (a.Empty() || !authorityByte.all(a.Of(h.Bytes))) {
		return errAuthority
	}
	if string(method) == "CONNECT" {
		if h.Protocol == (Span{}) {
			if h.Scheme != (Span{}) || h.Path != (Span{}) || h.Authority.Empty() {
				return errConnect
			}
			return nil
		}
		if !connect || h.Authority.Empty() || h.Protocol.Empty() {
			return errProtocol
		}
	} else if h.Protocol != (Span{}) {
		return errProtocol
	}
	if h.Scheme.Empty() || h.Path.Empty() {
		return errMissing
	}
	if !schemeByte.all(h.Scheme.Of(h.Bytes)) {
		return errScheme
	}
	path := h.Path.Of(h.Bytes)
	if path[0] != '/' && !(string(path) == "*" && string(method) == "OPTIONS") || !visible(path) {
		return errPath
	}
	return nil
}

// checkFields checks the fields after the pseudo-headers.
func (h *Header) checkFields(request bool) *Error {
	cookies := 0
	host := Span{}
	for i := range h.Fields {
		f := &h.Fields[i]
		if f.flaws != 0 {
			return h.wrongBytes(f)
		}
		switch f.Known {
		case NameMethod, NamePath, NameScheme, NameAuthority, NameStatus, NameProtocol:
			if request && f.Known == NameStatus || !request && f.Known != NameStatus {
				return errPseudo
			}
			return errPseudoLate
		case NameConnection, NameKeepAlive, NameProxyConnection, NameTransferEncoding, NameUpgrade:
			return errConnection
		case NameTE:
			if !request || !http1.EqualFold(f.Value.Of(h.Bytes), "trailers") {
				return errTE
			}
		case NameContentLength:
			if err := h.takeLength(f.Value.Of(h.Bytes)); err != nil {
				return err
			}
		case NameHost:
			if host != (Span{}) && request {
				return errHosts
			}
			host = f.Value
		case NameCookie:
			cookies++
		}
	}
	if cookies > 1 {
		h.joinCookies()
	}
	if !request {
		return nil
	}
	return h.takeHost(host)
}

// wrongBytes says which of a field's flaws it is.
func (h *Header) wrongBytes(f *Field) *Error {
	name := f.Name.Of(h.Bytes)
	switch {
	case f.flaws&flawName == 0:
		return errValue
	case len(name) > 0 && name[0] == ':':
		return errPseudo
	}
	return errName
}

// takeHost holds Host against :authority, for which it stands in (RFC 9113 8.3.1).
func (h *Header) takeHost(host Span) *Error {
	switch {
	case host == (Span{}):
		if h.Authority.Empty() && h.needsHost() {
			return errNoAuthority
		}
	case h.Authority.Empty():
		if host.Empty() && h.needsHost() || !authorityByte.all(host.Of(h.Bytes)) {
			return errAuthority
		}
		h.Authority = host
	case !bytes.EqualFold(host.Of(h.Bytes), h.Authority.Of(h.Bytes)):
		return errHosts
	}
	return nil
}

// needsHost reports whether requests of the scheme must name a host.
func (h *Header) needsHost() bool {
	scheme := h.Scheme.Of(h.Bytes)
	return http1.EqualFold(scheme, "http") || http1.EqualFold(scheme, "https")
}

func (h *Header) takeLength(value []byte) *Error {
	if h.ContentLength >= 0 {
		return errLengths
	}
	length, ok := http1.ParseLength(value)
	if !ok {
		return errLength
	}
	h.ContentLength = length
	return nil
}

// joinCookies makes one field of cookies that were sent as several, for better
// compression (RFC 9113 8.2.3).
func (h *Header) joinCookies() {
	var joined *Field
	at, kept := len(h.Bytes), h.Fields[:0]
	for _, f := range h.Fields {
		if f.Known != NameCookie {
			kept = append(kept, f)
			continue
		}
		if joined == nil {
			kept = append(kept, f)
			joined = &kept[len(kept)-1]
		} else {
			h.Bytes = append(h.Bytes, "; "...)
			joined.Sensitive = joined.Sensitive || f.Sensitive
		}
		h.Bytes = append(h.Bytes, f.Value.Of(h.Bytes)...)
	}
	joined.Value = span(at, len(h.Bytes))
	h.Fields = kept
}

// response checks a response's head and takes it apart (RFC 9113 8.3.2).
func (h *Header) response() *Error {
	if len(h.all) == 0 || h.all[0].Known != NameStatus {
		return errStatus
	}
	code := h.all[0].Value.Of(h.Bytes)
	if len(code) != 3 || code[0] < '1' || code[0] > '9' {
		return errStatus
	}
	for _, c := range code {
		if c < '0' || c > '9' {
			return errStatus
		}
		h.Status = h.Status*10 + int(c-'0')
	}
	if h.Status == 101 {
		return errSwitching
	}
	h.Fields = h.all[1:]
	if len(h.Fields) > 0 && h.Fields[0].Known == NameStatus {
		return errPseudo
	}
	return h.checkFields(false)
}

// trailers checks fields that follow a body (RFC 9113 8.1).
func (h *Header) trailers() *Error {
	h.Fields = h.all
	if len(h.Fields) > 0 && h.Fields[0].Known == NameStatus {
		return errPseudo
	}
	return h.checkFields(false)
}
