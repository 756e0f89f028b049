package http1

import (
	"strconv"
	"time"
)

// Continue is the interim response that a client with Expect100 waits for.
const Continue = "HTTP/1.1 100 Continue\r\n\r\n"

// AppendChunkSize appends the line before size bytes of chunk data, which must
// be followed by CRLF. size must not be 0, which would end the body.
func AppendChunkSize(dst []byte, size int) []byte {
	dst = strconv.AppendUint(dst, uint64(size), 16)
	return append(dst, "\r\n"...)
}

// AppendChunk appends data as one chunk, and nothing when data is empty, which
// would end the body (RFC 9112 7.1).
func AppendChunk(dst, data []byte) []byte {
	if len(data) == 0 {
		return dst
	}
	dst = AppendChunkSize(dst, len(data))
	dst = append(dst, data...)
	return append(dst, "\r\n"...)
}

// AppendDate appends a time, in seconds since 1970, as a Date field wants it
// (IMF-fixdate, RFC 9110 5.6.7), such as "Sun, 06 Nov 1994 08:49:37 GMT".
func AppendDate(dst []byte, unixSec int64) []byte {
	return time.Unix(unixSec, 0).UTC().AppendFormat(dst, "Mon, 02 Jan 2006 15:04:05 GMT")
}

// AppendDateLine appends the Date field's line (RFC 9110 6.6.1).
func AppendDateLine(dst []byte, unixSec int64) []byte {
	return append(AppendDate(append(dst, "Date: "...), unixSec), "\r\n"...)
}
