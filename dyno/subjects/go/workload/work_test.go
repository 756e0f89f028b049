package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestWaysAgree: what is compared must do the same work.
func TestWaysAgree(t *testing.T) {
	for _, c := range []struct {
		name      string
		one, many task
		want      int
	}{
		{"parse", parseStandard, parseRaw, 78},
		{"escape", escapeHeap, escapeStack, 66},
		{"frames", framesNew, framesPooled, 36},
		{"buffers", buffersNew, buffersPooled, 4262},
		{"decoder", decoderNew, decoderPooled, 36},
		{"alloc", allocLocal, allocShared, 120},
		{"route", routing("trie", 1000, 1), routing("radix", 1000, 1), 4},
		{"routes", routing("trie", 10, 3), routing("radix", 10, 3), 4},
		{"all routes", routing("trie", maxRoutes, 1), routing("radix", maxRoutes, 1), 4},
		{"json", codecs[0].both(547), codecs[1].both(547), 1007},
		{"json", codecs[2].both(547), codecs[3].both(547), 1007},
		{"small", codecs[0].both(leastUser), codecs[2].both(leastUser), 1007},
		{"large", codecs[0].both(5000), codecs[1].both(5000), 1007},
		{"decoding", codecs[0].decoding(547), codecs[1].decoding(547), 1007},
		{"decoding", codecs[2].decoding(5000), codecs[3].decoding(5000), 1007},
		{"encoding", codecs[0].encoding(547), codecs[1].encoding(547), 1007},
		{"encoding", codecs[2].encoding(5000), codecs[3].encoding(5000), 1007},
		{"none", none, none, 0},
		{"no routes", routing("none", 1000, 1), routing("none", 10, 1), 4},
	} {
		for _, way := range []task{c.one, c.many} {
			work := way()
			for range 3 {
				if got := work(); got != c.want {
					t.Errorf("%s: %d, want %d", c.name, got, c.want)
				}
			}
		}
	}
}

// TestAllocations holds the ways to what they are there for.
func TestAllocations(t *testing.T) {
	for _, c := range []struct {
		name        string
		way         task
		least, most float64
	}{
		{"parse/std", parseStandard, 3, 100},
		{"parse/raw", parseRaw, 0, 0},
		{"escape/heap", escapeHeap, escaped, escaped},
		{"escape/stack", escapeStack, 0, 0},
		{"frames/new", framesNew, middlewares + 1, 20},
		{"buffers/new", buffersNew, 5, 20},
		{"cpu", compute, 0, 0},
		{"route/trie", routing("trie", 1000, 1), 0, 0},
		{"route/radix", routing("radix", 1000, 1), 0, 0},
	} {
		work := c.way()
		if got := testing.AllocsPerRun(100, func() { work() }); got < c.least || got > c.most {
			t.Errorf("%s: %v allocations, want %v to %v", c.name, got, c.least, c.most)
		}
	}
}

func TestRawHeadRefuses(t *testing.T) {
	var h rawHead
	for _, c := range []struct {
		name, head string
		want       bool
	}{
		{"whole", requestHead, true},
		{"least", "GET / HTTP/1.1\r\n\r\n", true},
		{"empty value", "GET / HTTP/1.1\r\nA:\r\n\r\n", true},
		{"nothing", "", false},
		{"no end", "GET / HTTP/1.1\r\nA: b\r\n", false},
		{"bare LF", "GET / HTTP/1.1\nA: b\r\n\r\n", false},
		{"more behind it", "GET / HTTP/1.1\r\n\r\nx", false},
		{"no target", "GET HTTP/1.1\r\n\r\n", false},
		{"target is no path", "GET x HTTP/1.1\r\n\r\n", false},
		{"other version", "GET / HTTP/1.0\r\n\r\n", false},
		{"blank before the colon", "GET / HTTP/1.1\r\nA : b\r\n\r\n", false},
		{"no name", "GET / HTTP/1.1\r\n: b\r\n\r\n", false},
		{"no colon", "GET / HTTP/1.1\r\nab\r\n\r\n", false},
		{"control character", "GET / HTTP/1.1\r\nA: b\x00\r\n\r\n", false},
		{"too many fields", "GET / HTTP/1.1\r\n" + strings.Repeat("A: b\r\n", maxFields+1) + "\r\n", false},
	} {
		if got := h.parse([]byte(c.head)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if !h.parse([]byte(requestHead)) || string(h.field("COOKIE")) != "session=5f2c7a90d1e84b36; theme=light" || h.field("Cookies") != nil {
		t.Errorf("fields: %q", h.field("cookie"))
	}
}

func FuzzRawHead(f *testing.F) {
	f.Add([]byte(requestHead))
	f.Add([]byte("GET / HTTP/1.1\r\nA: b\r\n\r\n"))
	f.Fuzz(func(t *testing.T, head []byte) {
		var h rawHead
		if !h.parse(head) {
			return
		}
		// What is taken must be what net/http takes, but for the fields that it
		// gives a meaning to.
		for i := range h.fields[:h.filled] {
			switch strings.ToLower(string(h.fields[i].name)) {
			case "host", "content-length", "transfer-encoding", "connection", "trailer":
				return
			}
		}
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(string(head))))
		if err == nil && r.RequestURI != string(h.target) {
			t.Errorf("target %q, net/http's %q", h.target, r.RequestURI)
		}
	})
}

func TestTablesMatchAlike(t *testing.T) {
	plain, compressed := fill(new(trie), 1000), fill(new(radix), 1000)
	for _, thing := range things {
		for _, aspect := range aspects {
			path := "/v1/" + thing + "/7/" + aspect
			n1, p1, _ := plain.match(path)
			n2, p2, _ := compressed.match(path)
			if n1 == 0 || n1 != n2 || p1 != "7" || p2 != "7" {
				t.Fatalf("%s: trie %d %q, radix %d %q", path, n1, p1, n2, p2)
			}
		}
	}
	for _, path := range []string{"", "/", "/v1", "/v1/users/7", "/v1/users/7/profiles", "/v1/users/7/profil", "/v2/users/7/profile"} {
		n1, _, _ := plain.match(path)
		n2, _, _ := compressed.match(path)
		if n1 != 0 || n2 != 0 {
			t.Errorf("%s: trie %d, radix %d", path, n1, n2)
		}
	}
	_, _, long := plain.match("/v1/users/1007/profile")
	_, _, short := compressed.match("/v1/users/1007/profile")
	if short >= long {
		t.Errorf("%d hops in the trie, %d in the radix tree", long, short)
	}
}

func TestHijackedConnectionsStay(t *testing.T) {
	server := httptest.NewServer(routes(settings{repeat: 1, router: "radix", routes: 1000, trees: 1, size: 547}))
	defer server.Close()
	for range 3 {
		r, err := http.Get(server.URL + "/hijack")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || string(body) != "Hello, World!" || r.Close {
			t.Errorf("%q, %v, closed: %v", body, err, r.Close)
		}
	}
	if r, err := http.Get(server.URL + "/plaintext"); err != nil || r.StatusCode != 200 {
		t.Errorf("another route afterwards: %v, %v", r, err)
	}
}

// Without patience the response comes at once, and not that memory was given back.
func TestNoPatience(t *testing.T) {
	if _, err := resident(); err != nil {
		t.Skip(err)
	}
	w := httptest.NewRecorder()
	new(spiker).giveBack(w, httptest.NewRequest("GET", "/memory", nil))
	if got := w.Body.String(); w.Code != 200 || got != "kept" {
		t.Errorf("%d %q", w.Code, got)
	}
}

func TestBlocks(t *testing.T) {
	for _, in := range []string{"net", "syscall"} {
		if err := block(2, in); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestSettings(t *testing.T) {
	for _, c := range []struct{ env, want string }{
		{"", "{100 547 radix 1000 1 0 net 0 user 20000000 4000000000}"},
		{"WORK_REPEAT=7 WORK_ROUTER=trie WORK_BLOCKED=3 WORK_BLOCKED_IN=syscall", "{7 547 trie 1000 1 3 syscall 0 user 20000000 4000000000}"},
		{"WORK_SIZE=5000 WORK_ROUTES=10 WORK_TREES=50 WORK_ROUTER=none", "{100 5000 none 10 50 0 net 0 user 20000000 4000000000}"},
		{"WORK_THREADS=kernel WORK_WAIT_MS=5", "{100 547 radix 1000 1 0 net 0 kernel 5000000 4000000000}"},
		{"WORK_PATIENCE_MS=0", "{100 547 radix 1000 1 0 net 0 user 20000000 0}"},
		{"WORK_PATIENCE_MS=9000", `WORK_PATIENCE_MS is "9000": set it to a number from 0 to 4500`},
		{"WORK_ROUTES=3", `WORK_ROUTES is "3": set it to a number from 4 to 10000`},
		{"WORK_REPEAT=0", `WORK_REPEAT is "0": set it to a number from 1 to 1000000`},
		{"WORK_BLOCKED=-1", `WORK_BLOCKED is "-1": set it to a number from 0 to 1000`},
		{"WORK_ROUTER=map", `WORK_ROUTER is "map": set it to radix, trie or none`},
		{"WORK_BLOCKED_IN=disk", `WORK_BLOCKED_IN is "disk": set it to net or syscall`},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		s, err := settingsOf(func(name string) string { return env[name] })
		got := fmt.Sprint(s)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.env, got, c.want)
		}
	}
}
