package http1

// Refusals of the chunked coding.
var (
	errChunkSize  = &Error{400, "RFC 9112 7.1", "chunk size is not 1 to 15 hexadecimal digits"}
	errChunkLine  = &Error{400, "RFC 9112 7.1", "chunk-size line not ended by CRLF"}
	errChunkExt   = &Error{400, "RFC 9112 7.1.1", "chunk extension is not ;name or ;name=value, of tokens or a quoted string"}
	errChunkLong  = &Error{400, "RFC 9112 7.1.1", "chunk extensions longer than 2 KiB at once or 16 KiB in all"}
	errChunkEnd   = &Error{400, "RFC 9112 7.1", "chunk data not followed by CRLF"}
	errTrailerLen = &Error{400, "RFC 9112 7.1.2", "trailer section longer than 16 KiB"}
)

// chunkState is where in the chunked coding the next byte stands.
type chunkState uint8

const (
	chunkSize    chunkState = iota // in the digits
	chunkPad                       // in white space after the digits
	extStart                       // behind the semicolon of an extension
	extName                        // in its name
	extNameEnd                     // in white space after that
	extValue                       // behind its equals sign
	extToken                       // in a value that is a token
	extQuoted                      // in one in quotes
	extEscaped                     // behind a backslash there
	extEnd                         // behind a value, or in white space there
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
// go on at any byte and holds none. Trailer fields are checked and passed over.
type chunked struct {
	left   int64 // data bytes to come in this chunk
	line   int32 // bytes of the current size line's extensions, or of the trailer fields
	ext    int32 // bytes of all extensions before that
	digits uint8
	blank  bool // white space was the last of an extension's value
	state  chunkState
}

func (c *chunked) done() bool { return c.state == chunksDone }

// trailing says that what comes next belongs to the trailer section.
func (c *chunked) trailing() bool { return c.state >= trailerStart && c.state < chunksDone }

// next consumes framing and then data: b[framing:framing+data]. It returns
// after a run of data, where the trailer section starts, at the end of the body
// or at the end of b.
func (c *chunked) next(b []byte) (framing, data int, err error) {
	trailing := c.trailing()
	for framing < len(b) && c.state != chunksDone {
		switch c.state {
		case chunkData:
			data = int(min(c.left, int64(len(b)-framing)))
			if c.left -= int64(data); c.left == 0 {
				c.state = chunkDataCR
			}
			return framing, data, nil
		case trailerLine: // long runs up to the CR are skipped at once
			end := controlAt(b, framing)
			if err := c.skip(end - framing); err != nil {
				return framing, 0, err
			}
			if framing = end; framing == len(b) {
				return framing, 0, nil
			}
		}
		if err := c.step(b[framing]); err != nil {
			return framing, 0, err
		}
		framing++
		if c.trailing() != trailing {
			break
		}
	}
	return framing, 0, nil
}

// skip counts n bytes of an extension or of the trailer section.
func (c *chunked) skip(n int) error {
	limit, tooLong := int32(min(maxChunkLine, maxChunkExt-c.ext)), errChunkLong
	if c.trailing() {
		limit, tooLong = maxTrailer, errTrailerLen
	}
	if n > int(limit-c.line) {
		return tooLong
	}
	c.line += int32(n)
	return nil
}

// step takes one byte of framing.
func (c *chunked) step(x byte) error {
	switch c.state {
	case chunkSize:
		return c.sizeByte(x)
	case chunkPad:
		return c.padByte(x)
	case extStart, extName, extNameEnd, extValue, extToken, extQuoted, extEscaped, extEnd:
		return c.extByte(x)
	case chunkSizeLF:
		if x != '\n' {
			return errChunkLine
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
		c.state, c.digits = chunkSize, 0
	default:
		return c.trailerByte(x)
	}
	return nil
}

// trailerByte takes one byte of the trailer section (RFC 9112 7.1.2).
func (c *chunked) trailerByte(x byte) error {
	switch c.state {
	case trailerStart:
		switch {
		case x == '\r':
			c.state = trailerEnd
		case x == ' ' || x == '\t':
			return errFold
		case x == ':':
			return errFieldName
		default:
			c.state = trailerName
			return c.nameByte(x)
		}
	case trailerName:
		return c.nameByte(x)
	case trailerLine:
		if x != '\r' {
			return wrongLine([]byte{x}, 0, nil)
		}
		c.state = trailerLF
	case trailerLF, trailerEnd:
		if x != '\n' {
			return errBareCR
		}
		if c.state == trailerEnd {
			c.state = chunksDone
			return nil
		}
		c.state = trailerStart
		return c.skip(len("\r\n"))
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

// padByte takes a byte after the digits: the line's end, an extension, or the
// "bad white space" before one (RFC 9112 7.1.1), which must be tolerated there
// and nowhere else.
func (c *chunked) padByte(x byte) error {
	switch {
	case x == '\r' && c.state == chunkSize:
		c.state = chunkSizeLF
	case x == ';':
		c.state, c.blank = extStart, false
		return c.skip(1)
	case x == ' ' || x == '\t':
		c.state = chunkPad
		return c.skip(1)
	default:
		return errChunkSize
	}
	return nil
}

// nameByte takes one byte of a trailer's name or the colon after it.
func (c *chunked) nameByte(x byte) error {
	if x == ':' {
		c.state = trailerLine
	} else if !token[x] {
		return errFieldName
	}
	return c.skip(1)
}

// endOfSize starts the data, or the trailers after the last chunk.
func (c *chunked) endOfSize() {
	c.ext += c.line
	c.line = 0
	c.state = chunkData
	if c.left == 0 {
		c.state = trailerStart
	}
}
