package accesslog

import (
	"encoding/hex"
	"strconv"
	"time"
	"unicode/utf8"

	"dyno.example/nanogate/internal/config"
)

// append appends a record as a line of the log. wall is when the request began.
func (l *line) append(dst []byte, r *record, s *config.AccessLog, wall time.Time) []byte {
	switch s.Format {
	case config.LogCLF, config.LogCombined:
		return l.common(dst, r, s, wall)
	}
	return l.json(dst, r, s, wall)
}

// line makes lines. It has memory that is used again.
type line struct{ scratch []byte }

// json appends a line of JSON (RFC 8259). Names follow what is usual where logs are
// read; durations are in milliseconds.
func (l *line) json(dst []byte, r *record, s *config.AccessLog, wall time.Time) []byte {
	dst = append(dst, `{"time":"`...)
	dst = wall.UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
	dst = append(dst, `","client":`...)
	dst = appendJSON(dst, l.client(r))
	dst = append(dst, `,"method":`...)
	dst = appendJSON(dst, r.method)
	dst = append(dst, `,"host":`...)
	dst = appendJSON(dst, r.host)
	dst = append(dst, `,"path":`...)
	dst = appendJSON(dst, r.path)
	if len(r.query) > 0 {
		dst = append(dst, `,"query":`...)
		l.scratch = AppendQuery(l.scratch[:0], r.query, s.Redact)
		dst = appendJSON(dst, l.scratch)
	}
	dst = append(dst, `,"protocol":"HTTP/`...)
	dst = append(dst, r.version...)
	dst = append(dst, `","status":`...)
	dst = strconv.AppendInt(dst, int64(r.status), 10)
	dst = append(dst, `,"bytes":`...)
	dst = strconv.AppendInt(dst, r.sent, 10)
	dst = append(dst, `,"received":`...)
	dst = strconv.AppendInt(dst, r.received, 10)
	dst = append(dst, `,"duration_ms":`...)
	dst = appendMilliseconds(dst, r.took)
	if r.responded > 0 {
		dst = append(dst, `,"response_ms":`...)
		dst = appendMilliseconds(dst, r.responded)
	}
	dst = jsonForwarding(dst, r)
	if len(r.referer) > 0 {
		dst = append(dst, `,"referer":`...)
		l.scratch = appendURL(l.scratch[:0], r.referer, s.Redact)
		dst = appendJSON(dst, l.scratch)
	}
	if len(r.agent) > 0 {
		dst = append(dst, `,"user_agent":`...)
		dst = appendJSON(dst, r.agent)
	}
	if r.traced {
		dst = append(dst, `,"trace_id":"`...)
		dst = append(hex.AppendEncode(dst, r.trace[:]), '"')
	}
	return append(dst, "}\n"...)
}

// jsonForwarding appends where a request went, and what became of it there.
func jsonForwarding(dst []byte, r *record) []byte {
	dst = append(dst, `,"route":`...)
	dst = appendJSON(dst, r.route)
	if len(r.endpoint) > 0 {
		dst = append(dst, `,"upstream":`...)
		dst = appendJSON(dst, r.endpoint)
		dst = append(dst, `,"tries":`...)
		dst = strconv.AppendInt(dst, int64(r.tries), 10)
	}
	if r.failed != 0 {
		dst = append(dst, `,"failure":"`...)
		dst = append(append(dst, r.failed.String()...), '"')
	}
	if r.refused != 0 {
		dst = append(dst, `,"refused":"`...)
		dst = append(append(dst, r.refused.String()...), '"')
	}
	return dst
}

// common appends a line of the Common Log Format, or of the combined one, as httpd and
// nginx write them.
func (l *line) common(dst []byte, r *record, s *config.AccessLog, wall time.Time) []byte {
	dst = append(dst, l.client(r)...)
	dst = append(dst, " - - ["...)
	dst = wall.AppendFormat(dst, "02/Jan/2006:15:04:05 -0700")
	dst = append(dst, `] "`...)
	if len(r.method) > 0 {
		dst = append(appendCommon(dst, r.method), ' ')
		dst = appendCommon(dst, r.path)
		if len(r.query) > 0 {
			l.scratch = AppendQuery(l.scratch[:0], r.query, s.Redact)
			dst = appendCommon(append(dst, '?'), l.scratch)
		}
		dst = append(append(dst, " HTTP/"...), r.version...)
	} else {
		dst = append(dst, '-')
	}
	dst = append(dst, `" `...)
	dst = strconv.AppendInt(dst, int64(r.status), 10)
	dst = append(dst, ' ')
	if r.sent > 0 {
		dst = strconv.AppendInt(dst, r.sent, 10)
	} else {
		dst = append(dst, '-')
	}
	if s.Format == config.LogCombined {
		l.scratch = appendURL(l.scratch[:0], r.referer, s.Redact)
		for _, text := range [][]byte{l.scratch, r.agent} {
			if len(text) == 0 {
				text = nothing
			}
			dst = append(appendCommon(append(dst, ` "`...), text), '"')
		}
	}
	return append(dst, '\n')
}

// nothing stands where there is nothing to say.
var nothing = []byte("-")

// client is the client's address as text, "-" on a unix socket.
func (l *line) client(r *record) []byte {
	if !r.client.IsValid() {
		return append(l.scratch[:0], '-')
	}
	l.scratch = r.client.AppendTo(l.scratch[:0])
	return l.scratch
}

func appendMilliseconds(dst []byte, ns int64) []byte {
	return strconv.AppendFloat(dst, float64(ns)/1e6, 'f', 3, 64)
}

const hexDigits = "0123456789abcdef"

// appendJSON appends a JSON text. Bytes that are no UTF-8 become U+FFFD, so that a line
// is always JSON, and always one line.
func appendJSON[T string | []byte](dst []byte, text T) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ' || c == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case c < utf8.RuneSelf:
			dst = append(dst, c)
		default:
			r, n := utf8.DecodeRuneInString(string(text[i:min(len(text), i+utf8.UTFMax)]))
			if r == '\u2028' || r == '\u2029' { // line ends to some readers of logs
				dst = append(dst, `\u202`...)
				dst = append(dst, hexDigits[r&15])
			} else {
				dst = utf8.AppendRune(dst, r)
			}
			i += n
			continue
		}
		i++
	}
	return append(dst, '"')
}

// appendCommon appends a text as httpd does (mod_log_config): quotes and backslashes
// with a backslash, what isn't printable ASCII as \xhh.
func appendCommon(dst, text []byte) []byte {
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ' || c > '~':
			dst = append(dst, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
