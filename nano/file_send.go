package nano

import (
	"crypto/rand"
	"io"
	"os"

	"dyno/nano/internal/exchange"
)

// smallFile is up to where a file is read and sent as one response.
const smallFile = 16 << 10

// part responds with one part of the file, or all of it.
func (d *content) part(c Ctx, code int, r byteRange) error {
	x := c.x
	x.Status, x.begun = checkStatus(code), true
	if exchange.IsHead(&x.Exchange) {
		if err := x.Wire.Begin(&x.Exchange, r.length); err != nil {
			return err
		}
		return x.Wire.End(&x.Exchange, nil)
	}
	if r.length <= smallFile {
		return d.small(x, r)
	}
	if err := x.Wire.Begin(&x.Exchange, r.length); err != nil {
		return err
	}
	if err := d.send(x, r); err != nil {
		return err
	}
	return x.Wire.End(&x.Exchange, nil)
}

// small sends a part that fits a buffer.
func (d *content) small(x *liveRequest, r byteRange) error {
	buf := copyBuffers.Get().(*[]byte)
	defer copyBuffers.Put(buf)
	body := (*buf)[:r.length]
	if err := d.seek(r.from); err != nil {
		return err
	}
	if _, err := io.ReadFull(d.file, body); err != nil {
		return err
	}
	return x.Wire.Respond(&x.Exchange, body)
}

// send sends a part as it is.
func (d *content) send(x *liveRequest, r byteRange) error {
	if f, ok := d.file.(*os.File); ok {
		if w := senderOf(x.Wire); w != nil {
			return w.SendFile(&x.Exchange, f, r.from, r.length)
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

type wireWriter struct{ x *liveRequest }

func (w wireWriter) Write(p []byte) (int, error) { return w.x.Wire.Write(&w.x.Exchange, p) }

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
	x.Status, x.begun = 206, true
	if err := x.Wire.Begin(&x.Exchange, total+int64(len(end))); err != nil {
		return err
	}
	for i, r := range ranges {
		if _, err := x.Wire.Write(&x.Exchange, unsafeBytes(heads[i])); err != nil {
			return err
		}
		if err := d.send(x, r); err != nil {
			return err
		}
	}
	if _, err := x.Wire.Write(&x.Exchange, unsafeBytes(end)); err != nil {
		return err
	}
	return x.Wire.End(&x.Exchange, nil)
}
