package runner

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// workVariable makes this program a service that works for as many µs of CPU as its path says,
// or, where it finds one at WORK_URL, a subject that asks it for so many a request.
const workVariable = "DYNO_TEST_WORK"

func serveWork() error {
	serve := func(w http.ResponseWriter, r *http.Request) {
		if n, err := strconv.Atoi(r.URL.Path[1:]); err == nil {
			work(time.Duration(n) * time.Microsecond)
		}
		io.WriteString(w, "ok")
	}
	if service := os.Getenv("WORK_URL"); service != "" {
		url := "http://" + service + "/" + os.Getenv(workVariable)
		serve = func(w http.ResponseWriter, r *http.Request) {
			response, err := http.Get(url)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
				return
			}
			defer response.Body.Close()
			io.Copy(w, response.Body)
		}
	}
	fmt.Println("at work")
	return http.ListenAndServe(net.JoinHostPort("127.0.0.1", os.Getenv("PORT")), http.HandlerFunc(serve))
}

// work takes so much of a CPU, by the thread's own clock.
func work(d time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now := func() int64 {
		var t unix.Timespec
		unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
		return t.Nano()
	}
	for until := now() + int64(d); now() < until; {
	}
}
