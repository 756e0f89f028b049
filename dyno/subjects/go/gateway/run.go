package gateway

import (
	"context"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

// Run is the main of a gateway: build makes its handler.
func Run(build func(s *Settings) http.Handler) {
	host := flag.String("host", "127.0.0.1", "address to listen on")
	port := flag.Int("port", 8080, "port to listen on")
	flag.Parse()
	s, err := SettingsOf(os.Getenv)
	if err != nil {
		log.Fatal(err)
	}
	if s.OpenFiles > 0 {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: s.OpenFiles, Max: s.OpenFiles}); err != nil {
			log.Fatalf("limiting the open files to %d: %v", s.OpenFiles, err)
		}
	}
	if err := serve(net.JoinHostPort(*host, strconv.Itoa(*port)), build(&s)); err != nil {
		log.Fatal(err)
	}
}

// serve handles requests until SIGTERM or SIGINT, then lets those in flight finish.
func serve(addr string, handler http.Handler) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()

	server := &http.Server{
		Addr:    addr,
		Handler: handler,
		// As in go/nethttp.
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          log.New(quiet{}, "", 0),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	server.Shutdown(grace)
	return nil
}

// quiet lets net/http's complaints go: "too many open files" comes a thousand times a
// second where a study asks for it.
type quiet struct{}

func (quiet) Write(b []byte) (int, error) { return len(b), nil }
