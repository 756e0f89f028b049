// Command server is a subject with every bad habit a subject can have; -mode
// says which.
package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"probe"
)

func main() {
	port := flag.String("port", os.Getenv("PORT"), "to listen on")
	mode := flag.String("mode", probe.Name, "habit")
	file := flag.String("file", "", "to note things in")
	flag.Parse()
	fmt.Println("mode", *mode)
	switch *mode {
	case "exit":
		fmt.Println("no licence found")
		os.Exit(1)
	case "never":
		time.Sleep(time.Hour)
	case "taken":
		complainTwice(*file)
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
	case "sleep":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	case "eat":
		eat(*file)
		return
	case "parent":
		leaveChild(*file)
	case "flood":
		go func() {
			for {
				os.Stdout.WriteString(strings.Repeat("flooding\n", 1000))
				time.Sleep(time.Millisecond)
			}
		}()
	}
	serve(*port, *mode)
}

// complainTwice fails as if the port were taken, the first two times.
func complainTwice(file string) {
	seen, _ := os.ReadFile(file)
	if len(seen) < 2 {
		_ = os.WriteFile(file, append(seen, '.'), 0o644)
		fmt.Println("listen tcp: bind: address already in use")
		os.Exit(1)
	}
}

// leaveChild starts a child that leaves the session, and by way of a shell
// that ends at once, so that it is nobody's child any more. It has no
// environment to be known by either.
func leaveChild(file string) {
	cmd := exec.Command("/bin/sh", "-c", `"$0" -mode sleep & echo $! > "$1.tmp"; mv "$1.tmp" "$1"`, os.Args[0], file)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if os.Getenv("KEEP_ENV") == "" {
		cmd.Env = []string{}
	}
	if err := cmd.Run(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// eat uses so many MiB of memory for good.
func eat(mib string) {
	n, _ := strconv.Atoi(mib)
	for range n {
		block := make([]byte, 1<<20)
		for i := range block {
			block[i] = 1
		}
		eaten = append(eaten, block)
	}
}

var eaten [][]byte

func serve(port, mode string) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /plaintext", func(w http.ResponseWriter, r *http.Request) {
		if mode == "unwell" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		io.WriteString(w, os.Getenv("GREETING"))
	})
	mux.HandleFunc("GET /json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		message := "Hello, World!"
		if mode == "wrong" {
			message = "Hello, Wrold!"
		}
		fmt.Fprintf(w, `{"message":%q}`, message)
	})
	mux.HandleFunc("POST /users", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, `{"name":"Ada","id":1}`)
	})
	mux.HandleFunc("GET /die", func(http.ResponseWriter, *http.Request) {
		fmt.Println("out of luck")
		os.Exit(3)
	})
	mux.HandleFunc("GET /cpus", func(w http.ResponseWriter, r *http.Request) {
		status, _ := os.ReadFile("/proc/self/status")
		_, rest, _ := strings.Cut(string(status), "Cpus_allowed_list:\t")
		list, _, _ := strings.Cut(rest, "\n")
		io.WriteString(w, list+" "+strconv.Itoa(runtime.NumCPU()))
	})
	mux.HandleFunc("GET /spin", func(w http.ResponseWriter, r *http.Request) {
		ms, _ := strconv.Atoi(r.FormValue("ms"))
		for end := time.Now().Add(time.Duration(ms) * time.Millisecond); time.Now().Before(end); {
		}
	})
	mux.HandleFunc("GET /eat", func(w http.ResponseWriter, r *http.Request) {
		eat(r.FormValue("mib"))
	})
	mux.HandleFunc("GET /child", func(w http.ResponseWriter, r *http.Request) {
		cmd := exec.Command(os.Args[0], "-mode", "eat", "-file", r.FormValue("mib"))
		fmt.Fprint(w, cmd.Run())
	})
	l, err := net.Listen("tcp", ":"+port)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	server := &http.Server{Handler: mux}
	server.SetKeepAlivesEnabled(mode != "close")
	fmt.Println(server.Serve(l))
}
