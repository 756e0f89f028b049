// The subject go/gnet: gnet's event loops with a minimal HTTP/1.1 written for
// the purpose, as projects that choose gnet do; it has no HTTP of its own. The
// manifest sets GNET_LOGGING_LEVEL to errors, which gnet reads before main.
package main

import (
	"context"
	"flag"
	"log"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/panjf2000/gnet/v2"

	_ "dynoprobe"
)

func main() {
	host := flag.String("host", "127.0.0.1", "address to listen on")
	port := flag.Int("port", 8080, "port to listen on")
	flag.Parse()

	s := &server{}
	s.setDate(time.Now())
	err := gnet.Run(s, "tcp://"+net.JoinHostPort(*host, strconv.Itoa(*port)),
		// One loop per CPU that Go may use; gnet's Multicore counts the
		// machine's, also where a container or a limit grants fewer.
		gnet.WithNumEventLoop(runtime.GOMAXPROCS(0)),
		// As package net sets it; without, a restart on the same port fails
		// while old connections linger.
		gnet.WithReuseAddr(true),
		gnet.WithTicker(true),
	)
	if err != nil {
		log.Fatal(err)
	}
}

// server is what the event loops call. Its methods run on the loop that owns
// the connection and must not block.
type server struct {
	gnet.BuiltinEventEngine
	date atomic.Pointer[string]
}

// OnBoot stops the engine on SIGTERM or SIGINT. There is never a request in
// flight between two calls of OnTraffic, so stopping is graceful by nature.
func (s *server) OnBoot(engine gnet.Engine) gnet.Action {
	go func() {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
		defer stop()
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = engine.Stop(grace)
	}()
	return gnet.None
}

// OnTick renews the Date header, which has a resolution of one second.
func (s *server) OnTick() (time.Duration, gnet.Action) {
	s.setDate(time.Now())
	return time.Second, gnet.None
}

func (s *server) setDate(now time.Time) {
	date := now.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
	s.date.Store(&date)
}

// OnOpen gives the connection the buffer in which its responses are made.
func (s *server) OnOpen(c gnet.Conn) ([]byte, gnet.Action) {
	c.SetContext(&response{out: make([]byte, 0, 1024)})
	return nil, gnet.None
}

// OnTraffic handles every whole request that has arrived, in order, with one
// write. What is left of a partial one stays in gnet's buffer until more comes.
func (s *server) OnTraffic(c gnet.Conn) gnet.Action {
	buf, err := c.Peek(-1)
	if err != nil {
		return gnet.Close
	}
	a := c.Context().(*response)
	used, open := s.respondAll(a, buf)
	if used > 0 { // Discard(0) would drop everything, a partial request too
		_, _ = c.Discard(used)
	}
	if len(a.out) > 0 {
		_, err = c.Write(a.out)
	}
	if err != nil || !open {
		return gnet.Close
	}
	return gnet.None
}

// respondAll fills a with the responses to the requests in buf. It returns how
// many bytes of buf they took, and whether the connection stays open.
func (s *server) respondAll(a *response, buf []byte) (used int, open bool) {
	a.out, a.date = a.out[:0], *s.date.Load()
	for used < len(buf) {
		req, n, err := parse(buf[used:])
		if err != nil {
			// After a request that can't be read, nothing that follows can.
			a.refuse(err)
			return len(buf), false
		}
		if n == 0 {
			break
		}
		used += n
		a.close, a.head = req.close, req.method == "HEAD"
		serve(a, &req)
		if req.close {
			return len(buf), false
		}
	}
	return used, true
}
