package http1

// extByte takes one byte of a chunk extension (RFC 9112 7.1.1), which isn't used: *(
// BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] ). Anything else may be a
// size line to one parser and data to the next.
func (c *chunked) extByte(x byte) error {
	blank := x == ' ' || x == '\t'
	switch c.state {
	case extStart, extValue:
		switch {
		case blank:
		case token[x]:
			if c.state == extStart {
				c.state = extName
			} else {
				c.state = extToken
			}
		case x == '"' && c.state == extValue:
			c.state = extQuoted
		default:
			return errChunkExt
		}
	case extName, extNameEnd:
		switch {
		case token[x] && c.state == extName:
		case blank:
			c.state = extNameEnd
		case x == '=':
			c.state = extValue
		default:
			return c.extNext(x, c.state == extNameEnd)
		}
	case extToken, extEnd:
		switch {
		case token[x] && c.state == extToken:
		case blank:
			c.state, c.blank = extEnd, true
			return c.skip(1)
		default:
			return c.extNext(x, c.blank)
		}
	case extQuoted:
		switch {
		case x == '"':
			c.state = extEnd
		case x == '\\':
			c.state = extEscaped
		case x < ' ' && x != '\t' || x == 0x7f:
			return errChunkExt
		}
	case extEscaped:
		if x < ' ' && x != '\t' || x == 0x7f {
			return errChunkExt
		}
		c.state = extQuoted
	}
	return c.skip(1)
}

// extNext takes the byte that ends an extension: the semicolon of the next one, or
// the line's end, before which there is no white space.
func (c *chunked) extNext(x byte, blank bool) error {
	switch {
	case x == ';':
		c.state, c.blank = extStart, false
		return c.skip(1)
	case x == '\r' && !blank:
		c.state = chunkSizeLF
		return nil
	}
	return errChunkExt
}
