package load

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"dyno.example/dyno/load/profile"
)

// Of a response that breaks after its head, what came there is shown, and is not said
// to be its beginning.
func TestWhereAResponseBreaks(t *testing.T) {
	for _, c := range []struct{ response, want, not string }{
		{chunkedHead + "5;\r\nhello\r\n0\r\n\r\n", `at "\r\nhello`, "begins with"},
		{chunkedHead + "2\r\nokxx0\r\n\r\n", `at "xx0\r\n`, "begins with"},
		{"220 mail.example ready\r\n\r\n", `begins with "220 mail.example`, " in its body"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "", "begins with"},
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		go func() {
			for {
				conn, err := ln.Accept()
				if err != nil {
					return
				}
				go func() {
					defer conn.Close()
					if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
						io.WriteString(conn, c.response)
						io.Copy(io.Discard, conn)
					}
				}()
			}
		}()
		for _, engine := range []string{"", "portable"} {
			s := spec("http://"+ln.Addr().String(), profile.Profile{Mode: profile.Closed, Connections: 1})
			s.Engine, s.MaxRequests, s.Duration = engine, 3, 0
			r := ran(t, s)
			why := r.FirstErrors["body"]
			if why.IsZero() || !strings.Contains(why.String(), c.want) || strings.Contains(why.String(), c.not) {
				t.Errorf("%s, %q: %q, want %q and not %q", r.Engine, c.response, why, c.want, c.not)
			}
			for _, f := range r.Failures {
				if f.Received != "" && !strings.HasPrefix(f.Received, c.response[:3]) {
					t.Errorf("%s, %q: kept %q as if it were the response", r.Engine, c.response, f.Received)
				}
			}
		}
	}
}
