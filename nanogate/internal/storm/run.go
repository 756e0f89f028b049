//go:build linux

package storm

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Storm is a run.
type Storm struct {
	*ledger
	options     Options
	on          map[string]bool
	rng         *rand.Rand
	groups      map[string]*group
	order       []string // of the groups
	routes      []*route
	certificate tls.Certificate
	authorities *x509.CertPool
	plain       string // the gateway's addresses
	secured     string
	admin       string
	child       *child
	kept        bool // the folder is kept for inspection
	serial      atomic.Int64
	draining    atomic.Bool
	work        sync.WaitGroup
}

// stream is one of the run's sources of chance.
func (s *Storm) stream(n uint64) *rand.Rand { return rand.New(rand.NewPCG(s.options.Seed, n)) }

// Run does one run. An error is of the driver, violations are in the report.
func Run(o Options) (*Report, error) {
	s := &Storm{ledger: newLedger(o.Seed, o.Show), options: o, on: map[string]bool{}, groups: map[string]*group{}}
	for _, name := range o.Features {
		s.on[name] = true
	}
	s.rng = s.stream(0)
	s.kept = o.Folder != ""
	if s.options.Folder == "" {
		folder, err := os.MkdirTemp("", "storm-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		s.options.Folder = folder
	}
	defer func() {
		for _, g := range s.groups {
			for _, e := range append(g.endpoints, g.spare) {
				e.end()
			}
		}
	}()
	if err := s.prepare(); err != nil {
		return nil, err
	}
	defer s.kill()
	s.load()
	return s.report(), nil
}

func (s *Storm) prepare() error {
	for _, at := range []*string{&s.plain, &s.secured, &s.admin} {
		ln, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254)))
		if err != nil {
			return err
		}
		*at = ln.Addr().String()
		ln.Close()
	}
	return errors.Join(s.certify(), writeDescriptors(s.options.Folder+"/api.pb"), writePlugins(s.options.Folder), s.plan(), s.configure(s.rng, false), s.start())
}

// load sends requests for the configured time, waits until all is at rest, and has the
// gateway end while some more are under way.
func (s *Storm) load() {
	files, memory := s.child.files(), s.child.resident()
	stop := make(chan struct{})
	s.work.Add(1)
	go s.chaos(stop)
	end := time.Now().Add(s.options.For)
	clients := s.clients(end)
	clients.Wait()
	close(stop)
	s.work.Wait()
	if s.died() {
		return
	}
	s.rest(files, memory)
	s.drain()
}

// clients starts the clients, which end by that time.
func (s *Storm) clients(end time.Time) *sync.WaitGroup {
	var all sync.WaitGroup
	var kinds []string
	for _, kind := range []string{"c1", "c1tls", "pipe", "c2", "c2tls", "grpc", "web", "json", "ws", "wstls", "ws2"} {
		if s.on[kind] {
			kinds = append(kinds, kind)
		}
	}
	for n := range s.options.Clients {
		all.Add(1)
		go func() {
			defer all.Done()
			rng := s.stream(uint64(100 + n))
			for time.Now().Before(end) && !s.child.ended() {
				s.client(rng, kinds[rng.IntN(len(kinds))], end)
			}
		}()
	}
	return &all
}

// died notes an end of the gateway that wasn't requested.
func (s *Storm) died() bool {
	if !s.child.ended() {
		return false
	}
	s.violate("gate-died", "%v\n%s", s.child.err, s.child.tail(3000))
	return true
}

// rest waits until the gateway holds nothing more than it did before the load.
func (s *Storm) rest(files, memory int) {
	var left, wrong []string
	now := 0
	for range 300 {
		time.Sleep(200 * time.Millisecond)
		if s.died() {
			return
		}
		var err error
		if left, wrong, err = s.gauges(); err != nil {
			left = []string{err.Error()}
		}
		if now = s.child.files(); now <= files+2 && len(left) == 0 {
			break
		}
	}
	if now > files+2 {
		s.violate("not-at-rest", "%d descriptors are open 60 s after the load, %d before it", now, files)
	}
	if len(left) > 0 {
		s.violate("not-at-rest", "60 s after the load: %v", left)
	}
	if len(wrong) > 0 {
		s.violate("own-mistake", "%v\n%s", wrong, s.child.tail(3000))
	}
	if grown := s.child.resident() - memory; grown > 400<<20 {
		s.violate("memory", "%d MB more than at the start", grown>>20)
	}
}

// drain ends the gateway, with requests under way if that is configured.
func (s *Storm) drain() {
	if s.on["drain"] {
		clients := s.clients(time.Now().Add(700 * time.Millisecond))
		time.Sleep(300 * time.Millisecond)
		s.draining.Store(true)
		defer clients.Wait()
	}
	if s.died() {
		return
	}
	s.draining.Store(true)
	begun := time.Now()
	s.child.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.child.over:
		if s.child.err != nil {
			s.violate("drain", "after SIGTERM the gateway ended with %v\n%s", s.child.err, s.child.tail(3000))
		}
		s.count(fmt.Sprintf("drain in %d s", int(time.Since(begun).Seconds())))
	case <-time.After(drainTime + time.Minute):
		s.violate("drain", "the gateway goes on %v after SIGTERM, drain is %v", drainTime+time.Minute, drainTime)
	}
}

// kill ends the gateway whatever it does.
func (s *Storm) kill() {
	if s.child != nil && !s.child.ended() {
		s.child.cmd.Process.Kill()
		<-s.child.over
	}
}
