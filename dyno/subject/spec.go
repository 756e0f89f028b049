package subject

import (
	"context"
	"crypto/tls"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"dyno.example/dyno/subject/link"
	"dyno.example/internal/i18n"
)

// defaultGrace is how long a subject may take to end after SIGTERM.
const defaultGrace = 3 * time.Second

// StartSpec says how to start a subject. Exactly one of Command and Shell is
// set. The variables PORT and, for shipped subjects, OUT are in its
// environment.
type StartSpec struct {
	Name    string            // in messages
	Command []string          // executed without a shell; $PORT, $OUT and ${…} of Env are replaced
	Shell   string            // executed by /bin/sh
	Dir     string            // working folder; empty for the current one
	Env     map[string]string // added to dyno's own environment; {{env NAME}} in a value is a variable of that
	// Ready is a path polled until it responds with a status from 200 to 399, or "grpc" or
	// "grpc:SERVICE": the server's health over gRPC, or a service's, is polled until it is
	// SERVING. Empty if Poll says it.
	Ready   string
	Poll    string        // polled if Ready is empty, until it responds with a status below 500, or at all over gRPC; empty for "/"
	Timeout time.Duration // until ready; 0 means 15 s, at most 60 s
	Grace   time.Duration // from SIGTERM to SIGKILL; 0 means 3 s
	// Patience multiplies Timeout and Grace, those that are given and those that are not, as on
	// a machine that has much else to do; below 2 it changes nothing.
	Patience int
	Port     int    // 0 for a free one
	CPUs     []int  // to run on; empty leaves it to the kernel
	Log      string // file for what it prints, replaced; empty for none
	LogLimit int64  // bytes of it beyond which its middle is left out; 0 means 16 MiB
	// StateDir holds the journal that [Sweep] reads, "~/.dyno" by convention;
	// empty for no journal.
	StateDir string
	Limits   Limits // of all its processes together
	// TLS is the TLS of polls of a subject that listens with it; nil for one without.
	TLS *tls.Config
	// Check replaces polls of HTTP: it returns nil when what listens on the port is ready.
	Check func(ctx context.Context, port int) error `json:"-"`
	// Folder makes the program work in an empty folder of its own, made below this one
	// and removed when the program has ended, however that came; Dir must be empty.
	Folder string
	// RunAs is who runs it, if that isn't who runs dyno; the folder is theirs.
	RunAs *Account
	// StopSignal asks it to end; 0 means SIGTERM.
	StopSignal syscall.Signal
	// Called is what messages call it; zero for "subject NAME".
	Called i18n.Message
	// Upstream is started before the subject, and ends after it: what the subject, a
	// gateway, sends requests on to. Its address, host:port, is the subject's variable
	// UPSTREAM. It has no upstream of its own. nil for none.
	Upstream *StartSpec
	// Link puts it behind a network, into a namespace of its own, where it listens on
	// loopback as ever but reaches nothing else: it has no Upstream and no Check. nil for none.
	Link *link.Link
}

// StartSpec says how to start what was built.
func (a *Artifact) StartSpec() StartSpec {
	env := map[string]string{"OUT": a.Out}
	for name, value := range a.Manifest.Env {
		env[name] = value
	}
	return StartSpec{
		Name: a.Manifest.Name, Command: strings.Fields(a.Manifest.Run), Dir: a.Source,
		Env: env, Ready: a.Manifest.Ready, Timeout: a.Manifest.ReadyWithin,
	}
}

// check fills in defaults and says why it can't be started.
func (s *StartSpec) check() error {
	switch {
	case (len(s.Command) == 0) == (strings.TrimSpace(s.Shell) == ""):
		return i18n.Errorf("subject.command-and-shell", "give either a command or a shell command to start it")
	case s.Timeout < 0 || s.Timeout > maxReady:
		return i18n.Errorf("subject.ready-time-too-long", "the time to get ready is %v; it can be at most %v", s.Timeout, maxReady)
	case s.Port < 0 || s.Port > 65535:
		return i18n.Errorf("subject.port-out-of-range", "%d is not a port; expected a number from 1 to 65535", s.Port)
	case s.Link != nil && (s.Upstream != nil || s.Check != nil):
		return i18n.Errorf("subject.nothing-behind-link", "behind a network of its own it reaches nothing else, such as an upstream")
	case s.Upstream != nil && s.Upstream.Upstream != nil:
		return i18n.Errorf("subject.upstream-of-upstream", "its upstream %s has an upstream of its own", s.Upstream.Name)
	case s.Limits.check() != nil:
		return s.Limits.check()
	case s.Ready != "" && !strings.HasPrefix(s.Ready, "/") && !isHealth(s.Ready):
		return i18n.Errorf("subject.ready-path-needs-slash", "the path to poll, %q, must begin with /", s.Ready)
	}
	var err error
	if s.Env, err = filled(s.Env); err != nil {
		return err
	}
	if s.Timeout == 0 {
		s.Timeout = defaultReady
	}
	if s.Grace == 0 {
		s.Grace = defaultGrace
	}
	if s.Patience > 1 {
		s.Timeout, s.Grace = s.Timeout*time.Duration(s.Patience), s.Grace*time.Duration(s.Patience)
	}
	if s.StopSignal == 0 {
		s.StopSignal = syscall.SIGTERM
	}
	if s.Ready == "" && s.Poll == "" {
		s.Poll = "/"
	}
	if s.LogLimit <= 0 {
		s.LogLimit = defaultLogLimit
	}
	return nil
}

// called is what messages call it.
func (s *StartSpec) called() i18n.Message {
	if s.Called.IsZero() {
		return i18n.New("subject.a-subject", "subject %s", s.Name)
	}
	return s.Called
}

// launchRequest makes the keeper's launch request for one port.
func (s *StartSpec) launchRequest(port int) (launchRequest, error) {
	token := newToken()
	own := map[string]string{"PORT": strconv.Itoa(port), tokenVariable: token}
	argv := []string{"/bin/sh", "-c", s.Shell}
	if len(s.Command) > 0 {
		argv = make([]string, len(s.Command))
		for i, word := range s.Command {
			argv[i] = os.Expand(word, func(name string) string { return s.variable(name, own) })
		}
	}
	var err error
	if argv[0], err = findProgram(argv[0], s.Dir); err != nil {
		return launchRequest{}, err
	}
	stateDir := s.StateDir
	if stateDir != "" {
		// The keeper may work in another folder than dyno's.
		if stateDir, err = filepath.Abs(stateDir); err != nil {
			return launchRequest{}, err
		}
	}
	o := launchRequest{
		Name: s.Name, Argv: argv, Env: environ(s.Env, own), Dir: s.Dir, CPUs: s.CPUs,
		Grace: s.Grace, StateDir: stateDir, Token: token, Owner: self(),
		Limits: s.Limits, LogLimit: s.LogLimit, RunAs: s.RunAs, StopSignal: s.StopSignal,
		Link: s.Link,
	}
	if s.Folder != "" {
		o.Folder = ownFolder(s.Folder, token)
		o.Dir = o.Folder
	}
	return o, nil
}

func (s *StartSpec) variable(name string, own map[string]string) string {
	if name == dollar {
		return name
	}
	if value, ok := own[name]; ok {
		return value
	}
	if value, ok := s.Env[name]; ok {
		return value
	}
	return os.Getenv(name)
}

// findProgram makes a program's name a path: one without a slash is looked up
// in PATH, a relative one is taken from dir.
func findProgram(name, dir string) (string, error) {
	if !strings.Contains(name, "/") {
		found, err := exec.LookPath(name)
		if err != nil {
			return "", i18n.Errorf("subject.program-not-found", "%q is not in PATH; install it, or give its path", name)
		}
		return filepath.Abs(found)
	}
	if filepath.IsAbs(name) {
		return name, nil
	}
	return filepath.Abs(filepath.Join(dir, name))
}
