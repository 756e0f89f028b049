//go:build linux

package proxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/proxy"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/snapshot"
)

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

// asks is a guard and a limit that lets others decide.
type asks struct {
	within  time.Duration
	pass    bool
	begun   chan context.Context // of each decision that is being taken
	verdict chan int             // its status; 0: the request passes
	done    chan request.Outcome
}

func newAsks() *asks {
	return &asks{patience, false, make(chan context.Context, 10), make(chan int, 10), make(chan request.Outcome, 10)}
}

func (g *asks) Check(r *request.Request) *request.Reply {
	user, _ := r.Header("x-ask")
	if string(user) == "no" {
		return nil
	}
	name := string(user)
	a := *request.Refuse(503, "not decided", "")
	a.Deferred = &request.Deferred{Within: g.within, Pass: g.pass, Work: func(ctx context.Context) func(*request.Request) *request.Reply {
		g.begun <- ctx
		var status int
		select {
		case status = <-g.verdict:
		case <-ctx.Done():
			return nil
		}
		return func(r *request.Request) *request.Reply {
			if status != 0 {
				return request.Refuse(status, "", "")
			}
			r.Forward("x-user", []byte(name))
			return nil
		}
	}}
	return &a
}

func (g *asks) Done(o *request.Outcome) { g.done <- *o }

// guards adds filters that don't hear of the end of requests.
func guards(r *snapshot.Route, all ...filter.Filter) {
	for _, f := range all {
		r.Chain.Insert(filter.Identity, "guard", struct{ filter.Filter }{f})
	}
}

// limits adds limits.
func limits(r *snapshot.Route, all ...limit.Limit) {
	for _, l := range all {
		r.Chain.Insert(filter.Limits, "limit", l)
	}
}

// early says what it has seen before the wait.
type early struct{}

func (early) Check(r *request.Request) *request.Reply {
	r.Forward("x-early", []byte("seen"))
	r.Respond("X-Early", []byte("early"))
	return nil
}

// serve serves one upstream behind what change does to its route.
func serve(t *testing.T, rules string, change func(r *snapshot.Route)) (address string) {
	t.Helper()
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %s %d", r.Method, r.URL, r.Header.Get("X-Early"), r.Header.Get("X-User"), len(body))
	}))
	t.Cleanup(up.Close)
	c, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\nroutes: [{match: {path: \"/{name}/*\"}, rewrite: \"/v2/{name}/{rest}\", "+rules+"to: "+up.URL+"}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := snapshot.NewBuilder(1).Build(c, nil)
	change(s.Routes[0])
	server, err := proxy.Start(1, s, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		server.Shutdown(ctx)
		s.Retire(nil)
	})
	on, err := server.Listen("127.0.0.1:0", false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return on.At.String()
}

type conn struct {
	net.Conn
	r      *bufio.Reader
	t      *testing.T
	looked chan bool // at whether there is a response; nil: it isn't
}

func connect(t *testing.T, address string) *conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(2 * time.Minute))
	return &conn{Conn: c, r: bufio.NewReader(c), t: t}
}

func (c *conn) response() string {
	c.t.Helper()
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if resp.StatusCode != 200 {
		return fmt.Sprint(resp.StatusCode, resp.Header.Get("X-Early"))
	}
	return string(body) + " " + resp.Header.Get("X-Early")
}

// A request that waits for a decision holds nobody up, keeps what was found out about
// it, has its body sent on when it may pass, and the next one on its connection works.
func TestSuspend(t *testing.T) {
	for name, how := range map[string]func(r *snapshot.Route, g *asks){
		"guard": func(r *snapshot.Route, g *asks) { guards(r, early{}, g) },
		"limit": func(r *snapshot.Route, g *asks) { guards(r, early{}); limits(r, g) },
		"both": func(r *snapshot.Route, g *asks) {
			guards(r, early{}, g)
			limits(r, g)
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newAsks()
			at := serve(t, "", func(r *snapshot.Route) { how(r, g) })
			waits, other := connect(t, at), connect(t, at)
			const size = 300_000 // more than is read at once
			go fmt.Fprintf(waits, "POST /a/b?c=d HTTP/1.1\r\nHost: h\r\nX-Ask: ann\r\nX-User: root\r\nContent-Length: %d\r\n\r\n%s", size, strings.Repeat("x", size))
			<-g.begun
			fmt.Fprint(other, "GET /x/y HTTP/1.1\r\nHost: h\r\nX-Ask: no\r\n\r\n")
			if got := other.response(); got != "GET /v2/x/y seen  0 early" {
				t.Errorf("beside it: %s", got)
			}
			g.verdict <- 0
			if name == "both" {
				<-g.begun
				g.verdict <- 0
			}
			if got, want := waits.response(), fmt.Sprintf("POST /v2/a/b?c=d seen ann %d early", size); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			fmt.Fprint(waits, "GET /a/b HTTP/1.1\r\nHost: h\r\nX-Ask: bob\r\n\r\n")
			<-g.begun
			g.verdict <- 403
			if got := waits.response(); got != "403early" {
				t.Errorf("refused: %s", got)
			}
		})
	}
}

// Without a decision in time a guard refuses, and a limit that says so lets pass; the
// work is told that it is over.
func TestSuspendTooLong(t *testing.T) {
	for _, c := range []struct {
		name string
		pass bool
		want string
	}{{"refuses", false, "503"}, {"passes", true, "GET /v2/a/b   0 "}} {
		t.Run(c.name, func(t *testing.T) {
			g := newAsks()
			g.within, g.pass = 10*time.Millisecond, c.pass
			at := serve(t, "", func(r *snapshot.Route) { limits(r, g) })
			waits := connect(t, at)
			fmt.Fprint(waits, "GET /a/b HTTP/1.1\r\nHost: h\r\nX-Ask: ann\r\n\r\n")
			if got := waits.response(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			select {
			case ctx := <-g.begun:
				<-ctx.Done()
			default: // it was too late before its turn came
			}
			select {
			case <-g.done:
				if !c.pass {
					t.Error("the limit hears of the end of a request that it hasn't admitted")
				}
			default:
				if c.pass {
					t.Error("the limit doesn't hear of the end of a request that it let pass")
				}
			}
		})
	}
}

// When more wait than there is room for, the rest is refused at once, and goes on to be
// served when there is room again.
func TestSuspendIsBounded(t *testing.T) {
	g := newAsks()
	g.begun = make(chan context.Context, 100_000)
	at := serve(t, "", func(r *snapshot.Route) { guards(r, g) })
	var waiting []*conn
	responded := make(chan *conn, 10_000)
	var full *conn // the first one that got a response
	for full == nil {
		c := connect(t, at)
		fmt.Fprint(c, "GET /a/b HTTP/1.1\r\nHost: h\r\nX-Ask: ann\r\n\r\nGET /a/b HTTP/1.1\r\nHost: h\r\nX-Ask: no\r\n\r\n")
		waiting = append(waiting, c)
		c.looked = make(chan bool)
		go func() {
			c.r.Peek(1)
			close(c.looked)
			responded <- c
		}()
		select {
		case full = <-responded:
		case <-time.After(time.Millisecond): // or it comes while there are others
			if len(waiting) > 5000 {
				t.Fatal("there is room for everybody")
			}
		}
	}
	if got := full.response(); got != "503" {
		t.Errorf("the one for whom there is no room: %s", got)
	}
	if got := full.response(); got != "GET /v2/a/b   0 " {
		t.Errorf("the next one on its connection: %s", got)
	}
	close(g.verdict) // everybody passes
	for i, c := range waiting {
		if c == full {
			continue
		}
		<-c.looked
		if got := c.response(); got != "GET /v2/a/b  ann 0 " && got != "503" {
			t.Fatalf("%d: %s", i, got)
		}
	}
}

// The decision about a client that has gone is given up, and nothing of it is left.
func TestSuspendClientGone(t *testing.T) {
	g := newAsks()
	count := &asks{done: make(chan request.Outcome, 1)}
	at := serve(t, "", func(r *snapshot.Route) {
		limits(r, admits{count}, g)
	})
	waits := connect(t, at)
	fmt.Fprint(waits, "GET /a/b HTTP/1.1\r\nHost: h\r\nX-Ask: ann\r\n\r\n")
	ctx := <-g.begun
	waits.Close()
	<-ctx.Done()
	if o := <-count.done; o.Failed != request.ClientGone || o.Status != 0 {
		t.Errorf("it ended with %+v", o)
	}
	next := connect(t, at)
	fmt.Fprint(next, "GET /c/d HTTP/1.1\r\nHost: h\r\nX-Ask: bob\r\n\r\n")
	<-g.begun
	g.verdict <- 0
	if got := next.response(); got != "GET /v2/c/d  bob 0 " {
		t.Errorf("the next client: %s", got)
	}
}

// decides is a guard that is a function.
type decides func(*request.Request) *request.Reply

func (f decides) Check(r *request.Request) *request.Reply { return f(r) }

// Who has decided about a request that nobody waits for any more is told so, and nobody else.
func TestMissedDecisions(t *testing.T) {
	type work struct {
		name    string
		ctx     context.Context
		verdict chan bool
	}
	begun := make(chan *work)
	became := make(chan string, 10)
	at := serve(t, "", func(r *snapshot.Route) {
		guards(r, decides(func(r *request.Request) *request.Reply {
			user, _ := r.Header("x-ask")
			w := &work{name: string(user), verdict: make(chan bool)}
			a := *request.Refuse(503, "not decided", "")
			a.Deferred = &request.Deferred{Within: patience, Missed: func() { became <- w.name + " missed" },
				Work: func(ctx context.Context) func(*request.Request) *request.Reply {
					w.ctx = ctx
					begun <- w
					if !<-w.verdict {
						return nil
					}
					return func(*request.Request) *request.Reply {
						became <- w.name + " taken"
						return nil
					}
				}}
			return &a
		}))
	})
	begin := func(name string) (*conn, *work) {
		c := connect(t, at)
		fmt.Fprintf(c, "GET /a/b HTTP/1.1\r\nHost: h\r\nX-Ask: %s\r\n\r\n", name)
		return c, <-begun
	}
	gone, first := begin("ann")
	gone.Close()
	<-first.ctx.Done()
	first.verdict <- true
	if got := <-became; got != "ann missed" {
		t.Error(got)
	}
	gone, second := begin("bob")
	gone.Close()
	<-second.ctx.Done()
	second.verdict <- false // there is nothing to be missed
	stays, third := begin("cid")
	third.verdict <- true
	if got := stays.response(); got != "GET /v2/a/b   0 " {
		t.Error(got)
	}
	if got := <-became; got != "cid taken" || len(became) > 0 {
		t.Error(got)
	}
}

// admits admits everything.
type admits struct{ *asks }

func (admits) Check(*request.Request) *request.Reply { return nil }

// late decides when nobody waits for it any more.
type late struct {
	let  chan bool // to decide
	over chan bool // it has
}

func (g late) Check(r *request.Request) *request.Reply {
	if _, asked := r.Header("x-ask"); !asked {
		return nil
	}
	a := *request.Refuse(503, "not decided", "")
	a.Deferred = &request.Deferred{Within: 10 * time.Millisecond, Pass: true, Over: func() { close(g.over) }, Work: func(context.Context) func(*request.Request) *request.Reply {
		<-g.let
		return func(*request.Request) *request.Reply { return nil }
	}}
	return &a
}

// A decision that comes too late, while the request waits for a place, is none about that.
func TestLateDecisionInQueue(t *testing.T) {
	g := late{make(chan bool), make(chan bool)}
	var places limit.Limit
	address := serve(t, "concurrency: {most: 1, queue: {wait: 20s}}, ", func(r *snapshot.Route) {
		guards(r, g)
		places = r.Limits()[0]
		if places.Check(&request.Request{}) != nil {
			t.Fatal("there is no place")
		}
	})
	waiting := func() int {
		w, _ := places.(limit.Queued).Waits()
		return w.Waiting
	}
	responded := make(chan string, 1)
	go func() {
		r, _ := http.NewRequest("GET", "http://"+address+"/a/b", nil)
		r.Header.Set("X-Ask", "1")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			responded <- err.Error()
			return
		}
		resp.Body.Close()
		responded <- resp.Status
	}()
	for end := time.Now().Add(patience); waiting() != 1; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it doesn't come to the queue")
		}
	}
	close(g.let)
	<-g.over
	for range 3 { // the loop has heard of it by then
		if resp, err := http.Get("http://" + address + "/"); err == nil {
			resp.Body.Close()
		}
	}
	if waiting() != 1 || len(responded) > 0 {
		t.Error("the request doesn't wait any more")
	}
	places.Done(&request.Outcome{})
	if got := <-responded; got != "200 OK" {
		t.Errorf("with a place it gets %s", got)
	}
}
