package http1

import (
	"bufio"
	"bytes"
	"net/http"
	"testing"
)

// Heads as a load generator and as a browser send them.
const (
	smallHead   = "GET /plaintext HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: keep-alive\r\n\r\n"
	wrkHead     = "GET /plaintext HTTP/1.1\r\nHost: tfb-server:8080\r\nAccept: application/json,text/html;q=0.9,application/xhtml+xml;q=0.9,application/xml;q=0.8,*/*;q=0.7\r\nConnection: keep-alive\r\n\r\n"
	browserHead = "GET /wp-content/uploads/2010/03/hello-kitty-darth-vader-pink.jpg?size=large&v=17 HTTP/1.1\r\n" +
		"Host: www.kittyhell.com\r\n" +
		"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36\r\n" +
		"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n" +
		"Accept-Language: en-GB,en;q=0.7,de;q=0.3\r\n" +
		"Accept-Encoding: gzip, deflate, br, zstd\r\n" +
		"Referer: https://www.kittyhell.com/archive/2010\r\n" +
		"Connection: keep-alive\r\n" +
		"Upgrade-Insecure-Requests: 1\r\n" +
		"Sec-Fetch-Mode: navigate\r\n" +
		"Cookie: wp_ozh_wsa_visits=2; wp_ozh_wsa_visit_lasttime=xxxxxxxxxx; __utma=xxxxxxxxx.xxxxxxxxxx.xxxxxxxxxx.xxxxxxxxxx.xxxxxxxxxx.x; __utmz=xxxxxxxxx.xxxxxxxxxx.x.x.utmccn=(referral)|utmcsr=reader.livedoor.com\r\n\r\n"
)

var benchHeads = []struct{ name, head string }{
	{"small", smallHead}, {"wrk", wrkHead}, {"browser", browserHead},
}

func BenchmarkRequest(b *testing.B) {
	for _, bb := range benchHeads {
		b.Run(bb.name, func(b *testing.B) {
			head := []byte(bb.head)
			b.SetBytes(int64(len(head)))
			b.ReportAllocs()
			var r Request
			for b.Loop() {
				if n, err := r.Parse(head, nil); n != len(head) || err != nil {
					b.Fatal(n, err)
				}
			}
		})
	}
}

// BenchmarkByteLoop is for orientation: what it costs to split the same heads
// with one table look-up a byte, checking and understanding nothing.
func BenchmarkByteLoop(b *testing.B) {
	for _, bb := range benchHeads {
		b.Run(bb.name, func(b *testing.B) {
			head := []byte(bb.head)
			b.SetBytes(int64(len(head)))
			fields := make([]Field, 0, 16)
			for b.Loop() {
				var n int
				if fields, n = byteLoop(head, fields[:0]); n != len(head) {
					b.Fatal(n)
				}
			}
		})
	}
}

func byteLoop(b []byte, fields []Field) ([]Field, int) {
	i := bytes.IndexByte(b, '\n') + 1
	for b[i] != '\r' {
		name := i
		for token[b[i]] {
			i++
		}
		colon := i
		for i++; b[i] == ' '; {
			i++
		}
		value := i
		for valueByte[b[i]] {
			i++
		}
		fields = append(fields, Field{span(name, colon), span(value, i)})
		i += 2
	}
	return fields, i + 2
}

// BenchmarkNetHTTP is for orientation: the standard library's parser, which
// builds strings and a map.
func BenchmarkNetHTTP(b *testing.B) {
	for _, bb := range benchHeads {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.head)))
			b.ReportAllocs()
			src := bytes.NewReader(nil)
			buf := bufio.NewReader(src)
			for b.Loop() {
				src.Reset([]byte(bb.head))
				buf.Reset(src)
				if _, err := http.ReadRequest(buf); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
