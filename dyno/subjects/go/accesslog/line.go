package main

import (
	"strconv"
	"time"
)

// entry is what is known of a request.
type entry struct {
	remote, method, uri, proto, referer, agent string

	status, size int // of the response; size in bytes
	begun        time.Time
	took         time.Duration
	id           string // that other services have of the request, too; "" for none
}

// appendLine appends an entry in the combined format, with the microseconds that it took and its id. What
// a client sends is quoted: no newline of its comes into the log.
func appendLine(b []byte, e *entry) []byte {
	b = append(b, e.remote...)
	b = e.begun.AppendFormat(append(b, " - - ["...), "02/Jan/2006:15:04:05.000 -0700")
	b = append(append(b, `] "`...), e.method...)
	b = append(b, ' ')
	from := len(b)
	b = strconv.AppendQuote(b, e.uri)
	b = append(b[:from], b[from+1:len(b)-1]...) // the quotes are those of the whole
	b = append(append(append(b, ' '), e.proto...), `" `...)
	b = strconv.AppendInt(b, int64(e.status), 10)
	b = strconv.AppendInt(append(b, ' '), int64(e.size), 10)
	b = strconv.AppendQuote(append(b, ' '), e.referer)
	b = strconv.AppendQuote(append(b, ' '), e.agent)
	b = strconv.AppendInt(append(b, ' '), e.took.Microseconds(), 10)
	if e.id != "" {
		b = append(append(b, ' '), e.id...)
	}
	return append(b, '\n')
}
