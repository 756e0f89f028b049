//go:build linux

package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hitEach is of how many requests one is hit; of two causes at once seldomEach, so that
// the slowest hundredth of all requests, which is what is explained, has both; and where the
// disk is kept busy, so that it isn't all the time.
const (
	hitEach    = 40
	seldomEach = 100
)

// suffering is a service that knows nothing of the lab: net/http, or an event loop by
// hand, with one thing that makes some of its requests slow.
type suffering struct {
	dir, upstream, resolver string
	from                    sync.Mutex // the lock that some requests wait for
	count                   atomic.Int64
}

// hits are what happens in the handler of one request of hitEach, by the cause's name.
func (s *suffering) hits() map[string]func() {
	return map[string]func(){
		"fsync":    s.commit,
		"commit":   s.commit,
		"flock":    s.flock,
		"mutex":    s.contend,
		"sleep":    func() { unix.Nanosleep(&unix.Timespec{Nsec: 30e6}, nil) },
		"work":     func() { compute(25 * time.Millisecond) },
		"fault":    touch,
		"dns":      s.resolve,
		"upstream": s.fetch,
		"both":     func() { s.either(s.commit, s.fetch) },
		"pipe":     waitForPipe,
	}
}

// either does one or the other in turns.
func (s *suffering) either(a, b func()) {
	if s.count.Load()/seldomEach%2 == 0 {
		a()
		return
	}
	b()
}

// background is what goes on in the process beside its requests, by the cause's name.
func (s *suffering) background(cause string) {
	switch cause {
	case "flock":
		f := s.lockFile()
		for {
			unix.Flock(int(f.Fd()), unix.LOCK_EX)
			time.Sleep(20 * time.Millisecond)
			unix.Flock(int(f.Fd()), unix.LOCK_UN)
			time.Sleep(10 * time.Millisecond)
		}
	case "gc": // a large heap of pointers, collected twice a second
		var live []*[4]*int
		for range 4 << 20 {
			live = append(live, new([4]*int))
		}
		for {
			time.Sleep(500 * time.Millisecond)
			runtime.GC()
			runtime.KeepAlive(live)
		}
	case "timers":
		for {
			time.Sleep(500 * time.Millisecond)
			for range 50_000 {
				time.AfterFunc(50*time.Millisecond, func() { compute(time.Microsecond) })
			}
		}
	}
}

// compute takes so much time on the CPU, if it has one.
func compute(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

// contend waits for a mutex that is held for the next 20 ms, or for what is left of them.
func (s *suffering) contend() {
	if s.from.TryLock() {
		time.AfterFunc(20*time.Millisecond, s.from.Unlock)
	}
	s.from.Lock()
	s.from.Unlock() //nolint:staticcheck // to wait is all it is for
}

// fsync writes pages and waits for the disk, as a log of commits does.
func (s *suffering) fsync() {
	f, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	for range 4 { // a disk that is quick isn't asked once
		f.Write(make([]byte, 64<<10))
		f.Sync()
	}
}

// commit waits for the disk for 30 ms at least, however quick it is: what is injected is of
// known size, and more than what the machine does to the tail by itself.
func (s *suffering) commit() {
	for begin := time.Now(); time.Since(begin) < 30*time.Millisecond; {
		s.fsync()
	}
}

func (s *suffering) lockFile() *os.File {
	f, err := os.OpenFile(filepath.Join(s.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		panic(err) // the folder is the lab's own
	}
	return f
}

func (s *suffering) flock() {
	f := s.lockFile()
	defer f.Close()
	unix.Flock(int(f.Fd()), unix.LOCK_EX)
	unix.Flock(int(f.Fd()), unix.LOCK_UN)
}

// touch maps fresh memory and writes to each of its pages.
func touch() {
	const size = 48 << 20
	m, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return
	}
	unix.Madvise(m, unix.MADV_NOHUGEPAGE)
	for i := 0; i < size; i += 4096 {
		m[i] = 1
	}
	unix.Munmap(m)
}

// resolve asks a name server that takes its time.
func (s *suffering) resolve() {
	r := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", s.resolver)
	}}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	r.LookupHost(ctx, "slow.example.")
}

func (s *suffering) fetch() {
	if r, err := http.Get(s.upstream); err == nil {
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}
}

// waitForPipe blocks in a read of something that is neither a disk nor a socket.
func waitForPipe() {
	var ends [2]int
	if unix.Pipe(ends[:]) != nil {
		return
	}
	time.AfterFunc(30*time.Millisecond, func() { unix.Close(ends[1]) })
	unix.Read(ends[0], make([]byte, 1))
	unix.Close(ends[0])
}

// suffer is the program: truth suffer -cause NAME. It prints its URL and ends with its input.
func suffer(args []string) error {
	flags := flag.NewFlagSet("suffer", flag.ContinueOnError)
	s := &suffering{}
	cause := flags.String("cause", "none", "what it suffers from")
	flags.StringVar(&s.dir, "dir", os.TempDir(), "folder for its files")
	flags.StringVar(&s.upstream, "upstream", "", "URL of its upstream")
	flags.StringVar(&s.resolver, "resolver", "", "its name server")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var plain net.ListenConfig
	plain.SetMultipathTCP(false) // whose sockets take no filter
	ln, err := plain.Listen(context.Background(), "tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if *cause == "loss" {
		if err := dropSome(ln.(*net.TCPListener)); err != nil {
			return err
		}
	}
	fmt.Printf("http://%s/\n", ln.Addr())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	go s.background(*cause)
	if *cause == "loop" {
		return oneLoop(ln.(*net.TCPListener))
	}
	if *cause == "lazy" {
		return lazily(ln)
	}
	if *cause == "accept" {
		ln = &slowAcceptor{Listener: ln}
	}
	hit, each := s.hits()[*cause], int64(hitEach)
	switch *cause {
	case "both", "fsync":
		each = seldomEach
	case "commit":
		each = 2 * seldomEach
	}
	server := http.Server{ReadHeaderTimeout: time.Minute, Protocols: new(http.Protocols), Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if k := s.count.Add(1); hit != nil && k%each == 0 {
			hit()
		}
		io.WriteString(w, "ok")
	})}
	if h := map[string]http.HandlerFunc{"path": s.slowPath, "nagle": s.smallWrites, "long": s.longNow}[*cause]; h != nil {
		server.Handler, server.ConnContext = h, withConn
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	return server.Serve(ln)
}

// slowAcceptor takes a while before one connection of hitEach.
type slowAcceptor struct {
	net.Listener
	count int
}

func (a *slowAcceptor) Accept() (net.Conn, error) {
	if a.count++; a.count%hitEach == 0 {
		time.Sleep(30 * time.Millisecond)
	}
	return a.Listener.Accept()
}

// dropSome has the kernel drop one segment of a hundred that clients send: a classic BPF
// program, which each accepted connection inherits.
func dropSome(ln *net.TCPListener) error {
	const random = 0xfffff000 + 56 // SKF_AD_OFF + SKF_AD_RANDOM
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: random},
		{Code: unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K, K: 1 << 32 / 100, Jt: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0x40000},
	}
	raw, err := ln.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]})
	})
	if err != nil {
		return err
	}
	return failed
}

// sufferer is a service that runs.
type sufferer struct {
	cmd *exec.Cmd
	in  io.Closer
	url string
}

// start starts a service that suffers from a cause.
func (l *lab) suffer(ctx context.Context, cause, upstream, resolver string) (*sufferer, error) {
	program, err := l.withSymbols(ctx)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "suffer", "-cause", cause, "-dir", l.dir, "-upstream", upstream, "-resolver", resolver)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return started(cmd)
}

// started starts a service that prints its URL as its first line, and ends with its input.
func started(cmd *exec.Cmd) (*sufferer, error) {
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &sufferer{cmd: cmd, in: in}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("the service didn't start: %w", err)
	}
	s.url = line[:len(line)-1]
	return s, nil
}

func (s *sufferer) pid() int { return s.cmd.Process.Pid }

func (s *sufferer) stop() {
	s.in.Close()
	s.cmd.Process.Kill()
	s.cmd.Wait()
}
