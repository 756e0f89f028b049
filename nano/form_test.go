package nano_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

// part is one part of a form to be sent.
type part struct{ header, content string }

func value(name, content string) part {
	return part{fmt.Sprintf("form-data; name=%q", name), content}
}

func file(name, fileName, content string) part {
	return part{fmt.Sprintf("form-data; name=%q; filename=%q", name, fileName), content}
}

func encoded(t testing.TB, parts ...part) (contentType string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		to, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {p.header}})
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(to, p.content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.Bytes()
}

func TestForm(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	large := strings.Repeat("0123456789", 20000)
	var kept *nano.Upload
	app := nano.New(nano.Config{})
	app.Post("/", func(c nano.Ctx) error {
		f, err := c.Form()
		if err != nil {
			return err
		}
		var b strings.Builder
		for v := range f.All("v") {
			b.WriteString(v.String() + ",")
		}
		for _, u := range f.Files("f") {
			content, err := io.ReadAll(u.Open())
			if err != nil || int64(len(content)) != u.Size {
				return fmt.Errorf("%d of %d bytes: %w", len(content), u.Size, err)
			}
			fmt.Fprintf(&b, "%s=%d:%.3s,", u.FileName, u.Size, content)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("temporary files have names: %v %v", left, err)
		}
		if kept = f.File("f"); kept != nil {
			root, err := os.OpenRoot(t.TempDir())
			if err != nil {
				return err
			}
			defer root.Close()
			if err := kept.Save(root, "saved"); err != nil {
				return err
			}
			if saved, err := os.ReadFile(filepath.Join(root.Name(), "saved")); err != nil || int64(len(saved)) != kept.Size {
				t.Errorf("saved %d bytes, %v", len(saved), err)
			}
			var p *nano.Problem
			if err := kept.Save(root, "saved"); !errors.Is(err, fs.ErrExist) || !errors.As(err, &p) || p.Status != 409 {
				t.Errorf("saved once more: %v", err)
			}
			if err := kept.Save(root, "../outside"); err == nil {
				t.Error("saved outside of the root")
			}
		}
		return c.Text(200, b.String())
	})
	client := nanotest.New(app)
	if got := client.Post("/").Form(url.Values{"v": {"a b", "&=+%"}, "w": {"x"}}).Do(); got.Text() != "a b,&=+%," {
		t.Errorf("urlencoded: %d %q", got.Status, got.Body)
	}
	kind, body := encoded(t, value("v", "1"), file("f", `C:\x\..\evil.txt`, "abc"), file("f", "../../etc/passwd", large), value("v", "2"), file("f", "..", ""))
	if got := client.Post("/").Body(kind, body).Do(); got.Text() != "1,2,evil.txt=3:abc,passwd=200000:012,=0:," {
		t.Errorf("multipart: %d %q", got.Status, got.Body)
	}
	if _, err := kept.ReadAt(make([]byte, 1), 0); err == nil {
		t.Error("a file can be read after its handler has returned")
	}
}

func TestFormLimits(t *testing.T) {
	limits := nano.FormLimits{Values: 5, Files: 2, PartBytes: 1000, ValueBytes: 100, HeaderBytes: 500, Memory: 50}
	app := nano.New(nano.Config{Forms: limits, Limits: nano.Limits{Body: 100 << 10}})
	app.Post("/", func(c nano.Ctx) error { _, err := c.Form(); return err })
	many := func(n int, p part) []part {
		parts := make([]part, n)
		for i := range parts {
			parts[i] = p
		}
		return parts
	}
	for _, tt := range []struct {
		name   string
		parts  []part
		status int
	}{
		{"fine", []part{value("v", strings.Repeat("x", 100)), file("f", "f", strings.Repeat("x", 1000))}, 200},
		{"values", many(6, value("v", "")), 413},
		{"files", many(3, file("f", "f", "")), 413},
		{"file bytes", []part{file("f", "f", strings.Repeat("x", 1001))}, 413},
		{"value bytes", []part{value("v", strings.Repeat("x", 101))}, 413},
		{"header bytes", []part{value(strings.Repeat("n", 20<<10), "x")}, 413},
		{"body", []part{value("v", strings.Repeat("x", 101<<10))}, 413},
		{"no name", []part{{"form-data", "x"}}, 400},
	} {
		kind, body := encoded(t, tt.parts...)
		if got := nanotest.New(app).Post("/").Body(kind, body).Do(); got.Status != tt.status {
			t.Errorf("%s: %d %s, want %d", tt.name, got.Status, got.Body, tt.status)
		}
	}
	for _, tt := range []struct {
		name, kind, body string
		status           int
	}{
		{"values", "application/x-www-form-urlencoded", strings.Repeat("a=b&", 6), 413},
		{"cut", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nabc", 400},
		{"no boundary", "multipart/form-data", "", 400},
		{"other", "text/plain", "a=b", 415},
	} {
		if got := nanotest.New(app).Post("/").Body(tt.kind, []byte(tt.body)).Do(); got.Status != tt.status {
			t.Errorf("%s: %d %s, want %d", tt.name, got.Status, got.Body, tt.status)
		} else if want := "expected a form, but the Content-Type is"; tt.status == 415 && !strings.Contains(string(got.Body), want) {
			t.Errorf("%s: %s, want %q in it", tt.name, got.Body, want)
		}
	}
}

func TestMultipartStreams(t *testing.T) {
	app := nano.New(nano.Config{Limits: nano.Limits{BufferBody: 1 << 10, Body: 8 << 20}})
	app.Post("/", func(c nano.Ctx) error {
		m, err := c.Multipart()
		if err != nil {
			return err
		}
		var names []string
		for {
			p, err := m.Next()
			if errors.Is(err, io.EOF) {
				return c.Text(200, strings.Join(names, ","))
			}
			if err != nil {
				return err
			}
			names = append(names, p.Name) // the content is passed over
		}
	})
	kind, body := encoded(t, value("a", "1"), file("b", "b", strings.Repeat("x", 3<<20)), value("c", "2"))
	if got := nanotest.New(app).Post("/").Body(kind, body).Do(); got.Text() != "a,b,c" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

func TestBindUploads(t *testing.T) {
	type upload struct {
		Title string         `form:"title"`
		Photo *nano.Upload   `form:"photo"`
		More  []*nano.Upload `form:"more"`
	}
	app := nano.New(nano.Config{})
	app.Post("/", func(c nano.Ctx) error {
		u, err := nano.Bind[upload](c)
		if err != nil {
			return err
		}
		return c.Text(200, fmt.Sprint(u.Title, u.Photo.Size, len(u.More)))
	})
	kind, body := encoded(t, value("title", "x"), file("photo", "p", "12345"), file("more", "a", ""), file("more", "b", ""))
	if got := nanotest.New(app).Post("/").Body(kind, body).Do(); got.Text() != "x5 2" && got.Text() != "x 5 2" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// FuzzMultipart: whatever comes is a form within the limits or refused with 400
// or 413.
func FuzzMultipart(f *testing.F) {
	_, body := encoded(f, value("a", "1"), file("b", "b", "content"))
	f.Add(body)
	f.Add([]byte("--x\r\n\r\n--x--"))
	f.Add([]byte("--x\r\nContent-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\n!\r\n--x--\r\n"))
	app := nano.New(nano.Config{Forms: nano.FormLimits{Values: 3, Files: 1, PartBytes: 10, ValueBytes: 10, HeaderBytes: 100}})
	app.Post("/", func(c nano.Ctx) error {
		form, err := c.Form()
		if err != nil {
			return err
		}
		for v := range form.All("a") {
			if len(v) > 10 {
				f.Errorf("a value of %d bytes", len(v))
			}
		}
		return nil
	})
	f.Fuzz(func(t *testing.T, body []byte) {
		switch got := nanotest.New(app).Post("/").Body("multipart/form-data; boundary=x", body).Do(); got.Status {
		case 200, 400, 413:
		default:
			t.Errorf("%d %s", got.Status, got.Body)
		}
	})
}
