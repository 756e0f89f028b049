package http1

import "bytes"

// Refusals of the chunked coding.
var (
	errChunkSize  = &Error{"RFC 9112 7.1", "chunk size is not 1 to 15 hexadecimal digits"}
	errChunkExt   = &Error{"RFC 9112 7.1.1", "chunk extension holds a control character or is too long"}
	errChunkEnd   = &Error{"RFC 9112 7.1", "chunk data not followed by CRLF"}
	errTrailerLen = &Error{"RFC 9112 7.1.2", "trailer section longer than 16 KiB"}
)

// chunkState is where in the chunked coding the next byte stands.
type chunkState uint8

const (
	chunkSize    chunkState = iota // in the digits
	chunkPad                       // in white space after the digits
	chunkExt                       // in an extension, before CR
	chunkSizeLF                    // LF of the size line
	chunkData                      // in the data
	chunkDataCR                    // CR after the data
	chunkDataLF                    // LF after the data
	trailerStart                   // first byte of a trailer line or of the end
	trailerName                    // in the name of a trailer field
	trailerLine                    // in its value
	trailerLF                      // LF of a trailer line
	trailerEnd                     // LF of the empty line
	chunksDone
)

// chunked decodes the chunked transfer coding (RFC 9112 7.1). It can stop and
// go on at any byte. Trailers are read and dropped.
type chunked struct {
	left   int64 // data bytes to come in this chunk
	line   int32 // bytes of the current size line or of the trailers
	digits uint8
	state  chunkState
}

func (c *chunked) done() bool { return c.state == chunksDone }

// feed consumes b up to the end of the body; data is how much of it was
// content rather than framing.
func (c *chunked) feed(b []byte) (n int, data int64, err error) {
	for n < len(b) && c.state != chunksDone {
		if c.state == chunkData {
			take := min(c.left, int64(len(b)-n))
			n, data, c.left = n+int(take), data+take, c.left-take
			if c.left == 0 {
				c.state = chunkDataCR
			}
			continue
		}
		if c.state == trailerLine || c.state == chunkExt {
			// Long runs up to the CR are skipped at once.
			run := bytes.IndexByte(b[n:], '\r')
			if run < 0 {
				run = len(b) - n
			}
			if err := c.skip(b[n : n+run]); err != nil {
				return n, data, err
			}
			if n += run; n == len(b) {
				break
			}
		}
		if err := c.step(b[n]); err != nil {
			return n, data, err
		}
		n++
	}
	return n, data, nil
}

// skip passes over the inside of an extension or trailer line.
func (c *chunked) skip(b []byte) error {
	limit, tooLong := int32(maxChunkLine), errChunkExt
	if c.state == trailerLine {
		limit, tooLong = maxTrailer, errTrailerLen
	}
	if len(b) > int(limit) || c.line+int32(len(b)) > limit {
		return tooLong
	}
	c.line += int32(len(b))
	if hasControl(b) {
		return errChunkExt
	}
	return nil
}

// step takes one byte of framing.
func (c *chunked) step(x byte) error {
	switch c.state {
	case chunkSize:
		return c.sizeByte(x)
	case chunkPad:
		return c.padByte(x)
	case chunkExt, trailerLine: // only CR gets here
		c.state++
	case chunkSizeLF:
		if x != '\n' {
			return errChunkExt
		}
		c.endOfSize()
	case chunkDataCR:
		if x != '\r' {
			return errChunkEnd
		}
		c.state = chunkDataLF
	case chunkDataLF:
		if x != '\n' {
			return errChunkEnd
		}
		*c = chunked{}
	case trailerStart:
		switch {
		case x == '\r':
			c.state = trailerEnd
		case token[x]:
			c.state = trailerName
		default:
			return errFieldName
		}
	case trailerName:
		return c.nameByte(x)
	case trailerLF:
		if x != '\n' {
			return errBareCR
		}
		c.state = trailerStart
	case trailerEnd:
		if x != '\n' {
			return errBareCR
		}
		c.state = chunksDone
	}
	return nil
}

func (c *chunked) sizeByte(x byte) error {
	if d := hexDigit(x); d >= 0 {
		if c.digits == 15 { // 60 bits: the sum can't overflow
			return errChunkSize
		}
		c.digits++
		c.left = c.left<<4 | int64(d)
		return nil
	}
	if c.digits == 0 {
		return errChunkSize
	}
	return c.padByte(x)
}

// padByte takes a byte after the digits: "bad white space" that a recipient
// must tolerate (RFC 9112 7.1.1), an extension, or the line's end.
func (c *chunked) padByte(x byte) error {
	switch x {
	case '\r':
		c.state = chunkSizeLF
	case ';':
		c.state = chunkExt
	case ' ', '\t':
		c.state = chunkPad
		if c.line++; c.line > maxChunkLine {
			return errChunkExt
		}
	default:
		return errChunkSize
	}
	return nil
}

// nameByte takes one byte of a trailer's name or the colon after it.
func (c *chunked) nameByte(x byte) error {
	switch {
	case x == ':':
		c.state = trailerLine
	case !token[x]:
		return errFieldName
	case c.line == maxTrailer:
		return errTrailerLen
	}
	c.line++
	return nil
}

// endOfSize starts the data, or the trailers after the last chunk.
func (c *chunked) endOfSize() {
	c.line = 0
	if c.left == 0 {
		c.state = trailerStart
		return
	}
	c.state = chunkData
}

func hexDigit(x byte) int {
	switch {
	case x >= '0' && x <= '9':
		return int(x - '0')
	case x >= 'a' && x <= 'f':
		return int(x-'a') + 10
	case x >= 'A' && x <= 'F':
		return int(x-'A') + 10
	}
	return -1
}
