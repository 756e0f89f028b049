// Command server is a subject with one bad habit, chosen by its first argument.
// It responds to GET /ready properly in every mode, so that only the load, or the
// check before it, meets the habit.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
)

// turn is the number of requests after which the modes that start well go bad:
// more than a check sends, fewer than a second of load.
const turn = 100

func main() {
	mode := os.Args[1]
	switch mode {
	case "no-start":
		fmt.Println("reading the configuration")
		fmt.Println("no database at db.internal:5432")
		os.Exit(3)
	case "burn":
		burn()
	case "child":
		leaveChild()
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	if file := os.Getenv("PID_FILE"); file != "" {
		notePID(file, os.Getpid())
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", os.Getenv("PORT")))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("http://" + l.Addr().String())
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ready") })
	mux.Handle("/", &habit{mode: mode})
	fmt.Fprintln(os.Stderr, http.Serve(l, mux))
}

// burn uses all CPUs, with more threads than the tests that run with it have.
func burn() {
	threads := 6 * runtime.NumCPU()
	runtime.GOMAXPROCS(threads)
	for range threads - 1 {
		go func() {
			for {
			}
		}()
	}
	fmt.Println("begun")
	for {
	}
}

// leaveChild starts a process in a session of its own that outlives this one.
func leaveChild() {
	child := exec.Command("sleep", "600")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	notePID(os.Getenv("PID_FILE"), child.Process.Pid)
}

func notePID(file string, pid int) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(strconv.Itoa(pid) + "\n")
		f.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// habit responds the way its mode says.
type habit struct {
	mode   string
	served atomic.Int64
	once   sync.Once
	meal   []byte
}

// eat uses 256 MiB of memory for good.
func (h *habit) eat() {
	h.once.Do(func() {
		h.meal = make([]byte, 256<<20)
		for i := 0; i < len(h.meal); i += 4096 {
			h.meal[i] = 1
		}
	})
}

func (h *habit) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	turned := h.served.Add(1) > turn
	switch h.mode {
	case "status":
		http.Error(w, "no such thing", http.StatusNotFound)
	case "dies":
		if turned {
			fmt.Fprintln(os.Stderr, "fatal: out of ideas")
			os.Exit(7)
		}
		good(w, r)
	case "hungry":
		if turned {
			h.eat()
		}
		good(w, r)
	case "sours":
		if turned {
			raw(w, "")
			return
		}
		good(w, r)
	case "mute":
		<-r.Context().Done()
	case "closes":
		raw(w, "")
	case "garbage":
		raw(w, "SSH-2.0-OpenSSH_9.2\r\nwhat?\r\n\r\n")
	case "half":
		raw(w, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of what was prom")
	case "short":
		raw(w, "HTTP/1.1 200 OK\r\nContent-Le")
	default:
		good(w, r)
	}
}

// good tells the caller what it sent.
func good(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"method":%q,"x":%q,"body":%q,"ok":true}`+"\n", r.Method, r.Header.Get("X-Test"), body)
}

// raw writes bytes in place of a response and closes the connection.
func raw(w http.ResponseWriter, text string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	io.WriteString(conn, text)
}
