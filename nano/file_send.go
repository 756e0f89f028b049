package nano

import (
	"crypto/rand"
	"io"
	"os"
)

// fileSender is a wire that sends files without copying them through the
// program. It sends length bytes from offset as part of a streamed response.
type fileSender interface {
	sendFile(x *exchange, f *os.File, offset, length int64) error
}

// smallFile is up to where a file is read and sent as one response.
const smallFile = 16 << 10

// part responds with one part of the file, or all of it.
func (d *content) part(c Ctx, code int, r byteRange) error {
	x := c.x
	x.status, x.begun = checkStatus(code), true
	if isHead(x) {
		if err := x.wire.begin(x, r.length); err != nil {
			return err
		}
		return x.wire.end(x, nil)
	}
	if r.length <= smallFile {
		return d.small(x, r)
	}
	if err := x.wire.begin(x, r.length); err != nil {
		return err
	}
	if err := d.send(x, r); err != nil {
		return err
	}
	return x.wire.end(x, nil)
}

// small sends a part that fits a buffer.
func (d *content) small(x *exchange, r byteRange) error {
	buf := copyBuffers.Get().(*[]byte)
	defer copyBuffers.Put(buf)
	body := (*buf)[:r.length]
	if err := d.seek(r.from); err != nil {
		return err
	}
	if _, err := io.ReadFull(d.file, body); err != nil {
		return err
	}
	return x.wire.respond(x, body)
}

// send sends a part as it is.
func (d *content) send(x *exchange, r byteRange) error {
	if f, ok := d.file.(*os.File); ok {
		if w := senderOf(x.wire); w != nil {
			return w.sendFile(x, f, r.from, r.length)
		}
	}
	if err := d.seek(r.from); err != nil {
		return err
	}
	buf := copyBuffers.Get().(*[]byte)
	defer copyBuffers.Put(buf)
	n, err := io.CopyBuffer(wireWriter{x}, io.LimitReader(d.file, r.length), *buf)
	if err == nil && n < r.length {
		err = io.ErrUnexpectedEOF // the file has become shorter
	}
	return err
}

type wireWriter struct{ x *exchange }

func (w wireWriter) Write(p []byte) (int, error) { return w.x.wire.write(w.x, p) }

// parts responds with several parts (RFC 9110 14.6).
func (d *content) parts(c Ctx, ranges []byteRange) error {
	x := c.x
	kind := string(x.responseField("Content-Type"))
	boundary := rand.Text()
	var heads []string
	total := int64(0)
	for _, r := range ranges {
		h := "\r\n--" + boundary + "\r\nContent-Type: " + kind + "\r\nContent-Range: " + r.contentRange(d.size) + "\r\n\r\n"
		heads = append(heads, h)
		total += int64(len(h)) + r.length
	}
	end := "\r\n--" + boundary + "--\r\n"
	x.setContentType("multipart/byteranges; boundary=" + boundary)
	x.status, x.begun = 206, true
	if err := x.wire.begin(x, total+int64(len(end))); err != nil {
		return err
	}
	for i, r := range ranges {
		if _, err := x.wire.write(x, unsafeBytes(heads[i])); err != nil {
			return err
		}
		if err := d.send(x, r); err != nil {
			return err
		}
	}
	if _, err := x.wire.write(x, unsafeBytes(end)); err != nil {
		return err
	}
	return x.wire.end(x, nil)
}
