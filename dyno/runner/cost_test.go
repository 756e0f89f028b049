package runner

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/clock"
)

// costVariable makes this program a subject that keeps an account of what it spends: a
// number of ns a request, and with it, after commas, what else it does.
const costVariable = "DYNO_TEST_COST"

// heldBytes is what a subject holds that holds.
const heldBytes = 96 << 20

// serveAtCost responds at / and reports at /spent what was spent.
func serveAtCost() error {
	words := strings.Split(os.Getenv(costVariable), ",")
	each, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return err
	}
	has := func(word string) bool { return slices.Contains(words[1:], word) }
	if has("one-only") || has("locks") {
		only, err := net.Listen("tcp", os.Getenv("ONE_ONLY"))
		if err != nil && has("locks") {
			return errors.New("another one has the lock " + os.Getenv("LOCK_TOKEN"))
		}
		if err != nil {
			return err
		}
		defer only.Close() // not before: a listener that nobody holds is closed by the collector
	}
	var spent, read atomic.Int64
	if has("holds") { // before any trial, and not of Go's heap: the race detector would hold as much again
		held, err := unix.Mmap(-1, 0, heldBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return err
		}
		for i := 0; i < len(held); i += 4096 {
			held[i] = 1
		}
	}
	began := clock.Now()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		cost := each
		if has("shifts") && clock.Now()/int64(2*time.Second)%2 == 1 { // the machine is slower, for all alike
			cost = each * 4 / 3
		}
		spent.Add(cost)
		if has("dies") && read.Load() > 20 { // some three times a slice
			os.Exit(3)
		}
		io.WriteString(w, "ok")
	})
	mux.HandleFunc("/spent", func(w http.ResponseWriter, _ *http.Request) {
		read.Add(1)
		burnt := int64(0)
		switch since := clock.Now() - began; {
		case has("burns"):
			burnt = since / 5
		case has("wakes"):
			burnt = since / 25
		}
		fmt.Fprint(w, spent.Load()+burnt)
	})
	return http.ListenAndServe(net.JoinHostPort("127.0.0.1", os.Getenv("PORT")), mux)
}
