package nano_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// behaviours are handlers of net/http that must respond the same wherever they
// are mounted.
var behaviours = map[string]http.HandlerFunc{
	"/hello":   func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") },
	"/nothing": func(w http.ResponseWriter, r *http.Request) {},
	"/html":    func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html><body>x") },
	"/sniffed": func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<ht"); io.WriteString(w, "ml>") },
	"/untyped": func(w http.ResponseWriter, r *http.Request) { w.Header()["Content-Type"] = nil; io.WriteString(w, "x") },
	"/coded": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, "x")
	},
	"/whole":  func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 2048)) },
	"/large":  func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 2049)) },
	"/larger": func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("a line ", 30000)) },
	"/pieces": func(w http.ResponseWriter, r *http.Request) {
		for range 300 {
			io.WriteString(w, "0123456789")
		}
	},
	"/length": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "3")
		io.WriteString(w, "abc")
	},
	"/created": func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(201)
		w.WriteHeader(202)
		io.WriteString(w, "a")
	},
	"/204": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204); fmt.Fprint(w, "x") },
	"/304": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/x")
		w.Header().Set("ETag", `"a"`)
		w.WriteHeader(304)
	},
	"/late": func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		w.Header().Set("X-Late", "1")
		io.WriteString(w, "a")
	},
	"/fields": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("X-A", "1")
		w.Header().Add("X-A", " 2\r\nX-B: 3 ")
		w.Header().Set("not a name", "x")
	},
	"/close": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		io.WriteString(w, "bye")
	},
	"/error":    func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", 418) },
	"/redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/else where", 302) },
	"/flush": func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "a")
		w.(http.Flusher).Flush()
		io.WriteString(w, "b")
	},
	"/early": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(103)
		w.Header().Del("Link")
		io.WriteString(w, "a")
	},
	"/early-length": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1")
		w.WriteHeader(103)
		io.WriteString(w, "a")
	},
	"/trailers": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum, X-None")
		io.WriteString(w, "a")
		w.Header().Set("X-Sum", "1")
	},
	"/prefixed": func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "a")
		w.(http.Flusher).Flush()
		w.Header().Set(http.TrailerPrefix+"X-Sum", "2")
	},
	"/copied": func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(w, strings.NewReader(strings.Repeat("x", 100_000)))
		if n != 100_000 || err != nil {
			panic(err)
		}
	},
	"/file": func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "a.txt", time.Unix(1e9, 0), strings.NewReader("0123456789"))
	},
	"/body": func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		_, again := r.Body.Read(make([]byte, 1))
		fmt.Fprintf(w, "%d %.20q %v %v %v %v %v", len(b), b, err, again, r.ContentLength, r.TransferEncoding, r.Trailer)
	},
	"/echo": func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.Method, r.RequestURI, r.Proto, r.ProtoMajor, r.ProtoMinor, r.Host, r.Close, r.ContentLength)
		fmt.Fprintf(w, "%q %q %q %v %q\n", r.URL.Path, r.URL.RawPath, r.URL.RawQuery, r.URL.ForceQuery, r.URL.String())
		fmt.Fprintf(w, "%v %v %v\n", r.Header, r.Trailer, r.Form)
	},
	"/toomuch": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "2")
		n, err := io.WriteString(w, "abc")
		m, err2 := io.WriteString(w, "ab")
		if n != 0 || err != http.ErrContentLength || m != 0 || err2 != http.ErrContentLength {
			panic(fmt.Sprint(n, err, m, err2))
		}
		panic(http.ErrAbortHandler)
	},
	"/abort": func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) },
	"/cut": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "abc")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	},
	"/hijack": func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer c.Close()
		_, err = w.Write([]byte("x"))
		fmt.Fprintf(rw, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n%4v", err == http.ErrHijacked)
		rw.Flush()
	},
	"/switch": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Upgrade", "echo")
		w.Header().Set("Connection", "Upgrade")
		w.WriteHeader(101)
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer c.Close()
		line, _ := rw.ReadString('\n')
		io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"+line)
	},
}
