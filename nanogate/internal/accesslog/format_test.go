package accesslog

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/request/requesttest"
)

// lineOf is the line of a request with such a response, by way of a record.
func lineOf(t testing.TB, text string, o *request.Outcome, s *config.AccessLog) string {
	t.Helper()
	r := requesttest.Parse(t, text)
	fixed := appendFixed(nil, o, "users")
	var rec record
	rec.read(append(append(append(fixed, "users"...), o.Endpoint...), appendNote(nil, r)...))
	var l line
	return string(l.append(nil, &rec, s, time.Date(2026, 11, 23, 1, 2, 3, 4e6, time.UTC)))
}

func TestFormats(t *testing.T) {
	text := "GET /a/b?x=1&access_token=s3cret&y= HTTP/1.1\r\nHost: h:81\r\nReferer: https://u:p@e.example/q?code=abc&z=1#f\r\nUser-Agent: a \"b\" \\ \xff\r\nAuthorization: Bearer s3cret\r\nCookie: s3cret\r\n\r\n"
	o := &request.Outcome{Status: 200, Tries: 2, Began: 1e9, Responded: 1e9 + 2e6, Ended: 1e9 + 3_456_000, Endpoint: "127.0.0.1:9", Received: 5, Sent: 12, Failed: request.UpstreamGone}
	for format, want := range map[config.LogFormat]string{
		config.LogJSON:     `{"time":"2026-11-23T01:02:03.004Z","client":"192.0.2.1","method":"GET","host":"h:81","path":"/a/b","query":"x=1&access_token=REDACTED&y=","protocol":"HTTP/1.1","status":200,"bytes":12,"received":5,"duration_ms":3.456,"response_ms":2.000,"route":"users","upstream":"127.0.0.1:9","tries":2,"failure":"upstream-gone","referer":"https://REDACTED@e.example/q?code=REDACTED&z=1","user_agent":"a \"b\" \\ ` + "\uFFFD" + `"}` + "\n",
		config.LogCLF:      `192.0.2.1 - - [23/Nov/2026:01:02:03 +0000] "GET /a/b?x=1&access_token=REDACTED&y= HTTP/1.1" 200 12` + "\n",
		config.LogCombined: `192.0.2.1 - - [23/Nov/2026:01:02:03 +0000] "GET /a/b?x=1&access_token=REDACTED&y= HTTP/1.1" 200 12 "https://REDACTED@e.example/q?code=REDACTED&z=1" "a \"b\" \\ \xff"` + "\n",
	} {
		if got := lineOf(t, text, o, &config.AccessLog{Format: format}); got != want {
			t.Errorf("%d:\n got %s\nwant %s", format, got, want)
		}
	}
}

// A line has the version that the client speaks, over HTTP/2 too.
func TestLineVersions(t *testing.T) {
	for version, text := range map[string]string{"HTTP/1.0": "GET / HTTP/1.0\r\n\r\n", "HTTP/1.1": "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/2.0": "GET / HTTP/1.1\r\nHost: h\r\n\r\n"} {
		r := requesttest.Parse(t, text)
		r.HTTP2 = version == "HTTP/2.0"
		var rec record
		rec.read(append(appendFixed(nil, &request.Outcome{}, ""), appendNote(nil, r)...))
		for format, want := range map[config.LogFormat]string{config.LogJSON: `"protocol":"` + version + `"`, config.LogCLF: `"GET / ` + version + `"`} {
			var l line
			if got := string(l.append(nil, &rec, &config.AccessLog{Format: format}, time.Now())); !strings.Contains(got, want) {
				t.Errorf("%s: %s", version, got)
			}
		}
	}
}

func TestRedact(t *testing.T) {
	for query, want := range map[string]string{
		"":                             "",
		"a=b":                          "a=b",
		"token":                        "token",
		"token=":                       "token=REDACTED",
		"a=1&ToKeN=x&b=2":              "a=1&ToKeN=REDACTED&b=2",
		"a=1;id_token=x":               "a=1;id_token=REDACTED",
		"%74oken=x":                    "%74oken=REDACTED",
		"t%zzken=x":                    "t%zzken=REDACTED",
		"X-Amz-Signature=x&keyboard=1": "X-Amz-Signature=REDACTED&keyboard=1",
		"key=x&ours=y&other=z":         "key=REDACTED&ours=REDACTED&other=z",
		"token=a=b&c":                  "token=REDACTED&c",
		"&&token=x&":                   "&&token=REDACTED&",
	} {
		if got := string(AppendQuery(nil, []byte(query), []string{"ours"})); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	for url, want := range map[string]string{
		"http://h/p": "http://h/p", "/p?token=x": "/p?token=REDACTED", "http://u@h": "http://REDACTED@h", "x#token=y": "x", "http://h/a@b": "http://h/a@b",
	} {
		if got := string(appendURL(nil, []byte(url), nil)); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	}
}

// Whatever a client sends is one line, JSON if that was asked for, and says what was
// sent as far as that is text.
func FuzzLine(f *testing.F) {
	f.Add("/a?b=c", "agent", "referer")
	f.Add("/\u2028", "\x7f\x00", "http://\xff@/?token=x")
	f.Fuzz(func(t *testing.T, path, agent, referer string) {
		rec := record{path: []byte(path), agent: []byte(agent), referer: []byte(referer), method: []byte("GET")}
		var l line
		for format := config.LogJSON; format <= config.LogCombined; format++ {
			text := string(l.append(nil, &rec, &config.AccessLog{Format: format}, time.Now()))
			if strings.IndexByte(text, '\n') != len(text)-1 || !utf8.ValidString(text) {
				t.Fatalf("%q", text)
			}
			if format != config.LogJSON {
				if strings.Trim(text[:len(text)-1], printable) != "" {
					t.Fatalf("%q", text)
				}
				continue
			}
			var got struct {
				Path      string `json:"path"`
				UserAgent string `json:"user_agent"`
			}
			if err := json.Unmarshal([]byte(text), &got); err != nil || got.Path != string([]rune(path)) || got.UserAgent != string([]rune(agent)) {
				t.Fatalf("%v: %q", err, text)
			}
		}
	})
}

const printable = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

// Nor does a line, once there is memory for one.
func TestLinesAllocateNothing(t *testing.T) {
	o := &request.Outcome{Status: 200, Endpoint: "127.0.0.1:9"}
	for _, fields := range []string{"", "Referer: http://h/?a=b\r\nUser-Agent: x\r\n"} {
		r := requesttest.Parse(t, "GET /a?b=c&token=d HTTP/1.1\r\nHost: h\r\n"+fields+"\r\n")
		linesAllocateNothing(t, r, o)
	}
}

func linesAllocateNothing(t *testing.T, r *request.Request, o *request.Outcome) {
	t.Helper()
	b := append(append(append(appendFixed(nil, o, "users"), "users"...), o.Endpoint...), appendNote(nil, r)...)
	var rec record
	var l line
	dst, wall := make([]byte, 0, 4096), time.Now()
	for format := config.LogJSON; format <= config.LogCombined; format++ {
		s := &config.AccessLog{Format: format}
		if n := testing.AllocsPerRun(100, func() {
			rec.read(b)
			l.append(dst, &rec, s, wall)
		}); n != 0 {
			t.Errorf("%d: %v allocations", format, n)
		}
	}
}
