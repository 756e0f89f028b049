package load

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"

	"dyno.example/dyno/load/profile"
)

// TestServerInTheSameProcess: loads that run at once starve neither each other
// nor a server next to them, however few processors there are.
func TestServerInTheSameProcess(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	eachEngineAlone(t, func(t *testing.T, engine string) {
		for _, procs := range []int{1, 2} {
			runtime.GOMAXPROCS(procs)
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") }))
			var both sync.WaitGroup
			for _, p := range []profile.Profile{{Mode: profile.Closed, Connections: 4}, {Mode: profile.Open, Connections: 4, Rate: 500}} {
				both.Go(func() {
					s := spec(srv.URL, p)
					s.Engine, s.MaxRequests, s.Duration = engine, 200, 0
					r, err := begun(t.Context(), s)
					if err != nil {
						t.Error(err)
						return
					}
					if all := everything(r); all.Completed+all.Drained != 200 {
						t.Errorf("%d processors, %s loop: completed %d of 200, errors %+v", procs, p.Mode, all.Completed, all.Errors)
					}
				})
			}
			both.Wait()
			srv.Close()
			if n := runtime.GOMAXPROCS(0); n != procs {
				t.Errorf("GOMAXPROCS is left at %d, was %d", n, procs)
			}
		}
	})
}
