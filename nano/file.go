package nano

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/http1"
)

// File responds with a file of the system. The name is the program's: one that
// comes from a client could lead anywhere; [Ctx.FileFS] with os.OpenRoot, and
// [Group.Static], keep it within a directory.
//
// Ranges, also several, and conditional requests are handled as in RFC 9110; the ETag
// comes from size and time of the file. Fields that the handler has set, such as
// Content-Type or ETag, are kept. A file that doesn't exist, or is a directory, is a
// [Problem] of status 404.
func (c Ctx) File(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fileProblem(err)
	}
	return c.sendOpen(f, path.Base(name), nil)
}

// FileFS responds with a file of fsys, as File does. A file without a time, as of
// an embed.FS, gets its ETag from its content, which is read for it each time;
// [Group.Static] remembers it.
func (c Ctx) FileFS(fsys fs.FS, name string) error {
	f, err := fsys.Open(name)
	if err != nil {
		return fileProblem(err)
	}
	return c.sendOpen(f, path.Base(name), nil)
}

// Attachment makes the response a download under that name (RFC 6266).
func (c Ctx) Attachment(name string) Ctx {
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f || r == '"' || r == '\\' || r == '%' {
			return '_'
		}
		return r
	}, name)
	value := `attachment; filename="` + plain + `"`
	if plain != name {
		value += "; filename*=UTF-8''" + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
	}
	c.SetHeader("Content-Disposition", value)
	return c
}

// fileProblem is a 404 for all causes that clients must not distinguish.
func fileProblem(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrInvalid) {
		return NewProblem(404, "").Because(err)
	}
	return err
}

// content is an open file on its way to a client.
type content struct {
	version
	file fs.File
	size int64
}

// sendOpen responds with f and closes it. name determines its type. tagOf returns the
// ETag of a file without a time; nil: it is computed here.
func (c Ctx) sendOpen(f fs.File, name string, tagOf func(*content) (string, error)) error {
	defer f.Close()
	x := c.live()
	if x.begun {
		return ErrResponded
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return NewProblem(404, "")
	}
	d := &content{file: f, size: info.Size()}
	d.modified = info.ModTime()
	if err := d.tag(x, tagOf); err != nil {
		return err
	}
	if err := d.describe(x, name); err != nil {
		return err
	}
	return d.respond(c)
}

// tag sets the ETag.
func (d *content) tag(x *liveRequest, tagOf func(*content) (string, error)) (err error) {
	if own := x.responseField("ETag"); own != nil {
		d.etag = string(own)
		return nil
	}
	switch {
	case !d.modified.IsZero():
		d.etag = `"` + strconv.FormatInt(d.modified.UnixNano(), 36) + "-" + strconv.FormatInt(d.size, 36) + `"`
	case tagOf != nil:
		d.etag, err = tagOf(d)
	default:
		d.etag, err = d.hash()
	}
	if err == nil && d.etag != "" {
		x.addField("ETag", d.etag)
	}
	return err
}

// hash returns an ETag of the content; "" if the file can't be read twice.
func (d *content) hash() (string, error) {
	if _, ok := d.file.(io.Seeker); !ok {
		return "", nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, d.file); err != nil {
		return "", err
	}
	err := d.seek(0)
	return `"` + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18]) + `"`, err
}

// describe sets the fields about the file that the handler hasn't set.
func (d *content) describe(x *liveRequest, name string) error {
	if !d.modified.IsZero() && x.responseField("Last-Modified") == nil {
		x.Fields = append(http1.AppendDate(append(x.Fields, "Last-Modified: "...), d.modified.Unix()), "\r\n"...)
	}
	if _, ok := d.file.(io.Seeker); ok {
		x.removeField("Accept-Ranges")
		x.addField("Accept-Ranges", "bytes")
	}
	if x.responseField("Content-Type") != nil {
		return nil
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" && x.responseField("Content-Encoding") != nil {
		kind = "application/octet-stream" // the bytes would show the coding, not the file's type
	}
	if kind == "" {
		var err error
		if kind, err = d.sniff(); err != nil {
			return err
		}
	}
	x.addField("Content-Type", kind)
	return nil
}

// sniff guesses the type from the first bytes, as browsers do.
func (d *content) sniff() (string, error) {
	if _, ok := d.file.(io.Seeker); !ok {
		return "application/octet-stream", nil
	}
	var start [512]byte
	n, err := io.ReadFull(d.file, start[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", err
	}
	return http.DetectContentType(start[:n]), d.seek(0)
}

// seek goes to an offset. A file that can't seek is read from its start.
func (d *content) seek(to int64) error {
	s, ok := d.file.(io.Seeker)
	if !ok {
		return nil
	}
	_, err := s.Seek(to, io.SeekStart)
	return err
}

// respond sends the file, or the ranges that the request names.
func (d *content) respond(c Ctx) error {
	x := c.live()
	get := string(x.Req.Method.Of(x.Buf)) == "GET"
	if !get && !exchange.IsHead(&x.Exchange) {
		return d.whole(c)
	}
	switch d.check(x) {
	case notModified:
		x.removeField("Content-Type")
		return c.NoContent(304)
	case failed:
		x.undescribe()
		return NewProblem(412, "the file is not what the request expects")
	}
	value := x.field("Range")
	if _, seeks := d.file.(io.Seeker); !get || value == nil || !seeks || !d.rangeHolds(x) {
		return d.whole(c)
	}
	ranges, outcome := parseRange(string(value), d.size)
	switch {
	case outcome == rangeUnsatisfied:
		x.undescribe()
		c.SetHeader("Content-Range", "bytes */"+strconv.FormatInt(d.size, 10))
		return NewProblem(416, "the file has no such part")
	case outcome == rangeIgnored:
		return d.whole(c)
	case len(ranges) == 1:
		c.SetHeader("Content-Range", ranges[0].contentRange(d.size))
		return d.part(c, 206, ranges[0])
	}
	return d.parts(c, ranges)
}

// undescribe takes back what was said of a file that isn't sent.
func (x *liveRequest) undescribe() {
	for _, name := range [...]string{"Content-Type", "Content-Encoding", "Content-Disposition", "ETag", "Last-Modified", "Cache-Control"} {
		x.removeField(name)
	}
}

func (d *content) whole(c Ctx) error {
	code := c.x.Status
	if code == 0 {
		code = 200
	}
	return d.part(c, code, byteRange{0, d.size})
}

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
