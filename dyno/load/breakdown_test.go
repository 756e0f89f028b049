package load

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// What a server says of its responses is what is counted: by status, and by kind of
// request with its times. Windows of a busy machine may be invalid, and all
// windows together count.
func TestResponsesByStatusAndKind(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		var fast, slow, gone, hung atomic.Uint64
		target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/slow":
				time.Sleep(20 * time.Millisecond)
				slow.Add(1)
				w.WriteHeader(http.StatusCreated)
			case "/gone":
				gone.Add(1)
				w.WriteHeader(http.StatusGone)
			case "/hung":
				hung.Add(1)
				panic(http.ErrAbortHandler)
			default:
				fast.Add(1)
			}
		}))
		defer target.Close()
		s := spec(target.URL, profile.Profile{Mode: profile.Closed, Connections: 4})
		s.Engine, s.Duration, s.MaxRequests = engine, 0, 400
		s.Requests = nil
		for _, name := range []string{"fast", "slow", "gone", "hung"} {
			s.Requests = append(s.Requests, request.Request{Name: name, Method: "GET", Path: "/" + name})
		}
		r := ran(t, s)
		all := make(map[int]uint64)
		for i := range r.Windows {
			all = measure.AddStatuses(all, r.Windows[i].Statuses)
		}
		if all[200] != fast.Load() || all[201] != slow.Load() || all[410] != gone.Load() || len(all) != 3 {
			t.Errorf("statuses %v; the server responded to %d fast, %d slow, %d gone", all, fast.Load(), slow.Load(), gone.Load())
		}
		if r.leftOut > 0 {
			t.Skip("this machine is too busy for figures of kinds")
		}
		if len(r.Requests) != 4 {
			t.Fatalf("%d kinds", len(r.Requests))
		}
		sum := uint64(0)
		for i, want := range []uint64{fast.Load(), slow.Load(), gone.Load(), hung.Load()} {
			k := &r.Requests[i]
			e := &k.Total.Errors
			if got := k.Total.Completed + k.Total.Drained + e.Total(); got != want || k.Name != s.Requests[i].Name {
				t.Errorf("%s: %d, want %d", k.Name, got, want)
			}
			if i == 2 && e.Status != want || i == 3 && e.Reset != want {
				t.Errorf("%s: errors %+v, want %d", k.Name, *e, want)
			}
			sum += k.Total.Timed(measure.Response)
		}
		if ns, _ := r.Requests[1].Total.Quantile(measure.Response, 1); ns < int64(20*time.Millisecond) {
			t.Errorf("the fastest of the slow ones took %v", time.Duration(ns))
		}
		if sum != r.Total.Timed(measure.Response) {
			t.Errorf("%d times of kinds, %d in all", sum, r.Total.Timed(measure.Response))
		}
	})
}

// A load that measures a redirect says so, and where it leads, unless it was meant.
func TestRedirects(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		target := server(t, replies("HTTP/1.1 103 Early Hints\r\nLocation: /not-this\r\n\r\n"+
			"HTTP/1.1 302 Found\r\nLocation: https://elsewhere.example/a%1B?token=s3cr3t\r\nContent-Length: 3\r\n\r\nabc"))
		for _, c := range []struct {
			request request.Request
			found   bool
		}{
			{request.Request{Method: "GET", Path: "/"}, true},
			{request.Request{Method: "GET", Path: "/", Expect: []string{"body contains abc"}}, true},
			{request.Request{Method: "GET", Path: "/", Expect: []string{"status 3xx"}}, false},
			{request.Request{Method: "GET", Path: "/", Status: 302}, false},
		} {
			s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 2})
			s.Engine, s.Duration, s.MaxRequests, s.Requests = engine, 0, 50, []request.Request{c.request}
			r := ran(t, s)
			detail := ""
			for _, f := range r.Findings {
				if f.Name == finding.Redirected {
					detail = f.Detail.String()
				}
			}
			if r.leftOut > 0 {
				continue // of an invalid window nothing is said
			}
			if c.found != (detail != "") {
				t.Errorf("%+v: found %q among %+v", c.request, detail, r.Findings)
			}
			if c.found && (!strings.Contains(detail, "50 of 50 responses were redirects, as 302 Found to https://elsewhere.example/a%1B…, and are not followed") || r.Validity == finding.Valid) {
				t.Errorf("%s: %s", r.Validity, detail)
			}
		}
	})
}

// A few redirects among many responses are a remark.
func TestFewRedirectsAreARemark(t *testing.T) {
	for n, want := range map[uint64]finding.Validity{1: finding.Valid, 99: finding.Valid, 100: finding.Suspect, 1000: finding.Suspect} {
		r := &Result{Total: measure.Window{Completed: 1000, Statuses: map[int]uint64{200: 1000 - n, 301: n}}}
		r.judge(&Spec{Requests: []request.Request{{Path: "/"}}, Profile: profile.Profile{Mode: profile.Closed}})
		if len(r.Findings) != 1 || r.Findings[0].Name != finding.Redirected || r.Validity != want {
			t.Errorf("%d of 1000: %+v", n, r.Findings)
		}
	}
	r := &Result{Total: measure.Window{Completed: 1000, Statuses: map[int]uint64{200: 500, 304: 500}}}
	if r.judge(&Spec{Requests: []request.Request{{Path: "/"}}, Profile: profile.Profile{Mode: profile.Closed}}); len(r.Findings) > 0 {
		t.Errorf("304 sends nobody elsewhere: %+v", r.Findings)
	}
}
