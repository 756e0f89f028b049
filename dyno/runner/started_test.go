package runner

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
)

// subjectVariable makes this program a subject.
const subjectVariable = "DYNO_TEST_SUBJECT"

// serveTest says at / how it was started, and at /length how long the request's body
// is.
func serveTest() {
	cert, key := os.Getenv("DYNO_TLS_CERT"), os.Getenv("DYNO_TLS_KEY")
	told := fmt.Sprintf("args=%s cpus=%d level=%s", strings.Join(os.Args[1:], ","), runtime.NumCPU(), os.Getenv("TEST_LEVEL"))
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, told) })
	http.HandleFunc("/length", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%d bytes", len(body))
	})
	addr := net.JoinHostPort("127.0.0.1", os.Getenv("PORT"))
	var err error
	if cert != "" {
		err = http.ListenAndServeTLS(addr, cert, key, nil)
	} else {
		err = http.ListenAndServe(addr, nil)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
