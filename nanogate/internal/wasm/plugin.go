package wasm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/bounds"
	"dyno.example/nanogate/internal/config"
)

// Plugin is a plug-in of the configuration: a module out of a file, which is read again
// when it changes, and its counts. Routes share it.
type Plugin struct {
	Name   string
	Counts *Counts

	rules   config.Plugin
	codes   *Codes // nil: compiled code is kept nowhere
	log     *slog.Logger
	now     atomic.Pointer[module]
	problem atomic.Pointer[string] // why the file's present content isn't what runs; nil: it is
	workers *bounds.Workers
	replies failureReplies

	looking sync.Mutex // of what follows
	seen    fileState

	stop chan struct{}
	once sync.Once

	failures, messages bounds.ThrottledLog
}

const (
	mostFile  = 64 << 20 // bytes of a module
	lookEvery = 2 * time.Second
)

// Open reads a plug-in, compiles it and starts an instance of it. It goes on with the
// counts of the one before of that name, which may be nil. codes is where its code is kept;
// nil: nowhere. An error says why it can't be used.
func Open(rules *config.Plugin, before *Plugin, codes *Codes, log *slog.Logger) (*Plugin, error) {
	p, err := open(rules, codes, log)
	if err != nil {
		return nil, err
	}
	if before != nil {
		p.Counts = before.Counts
	}
	go p.watch()
	return p, nil
}

// Check does what Open does, but doesn't watch the file: the plug-in needs no Close.
func Check(rules *config.Plugin) (*Plugin, error) {
	return open(rules, nil, slog.New(slog.DiscardHandler))
}

func open(rules *config.Plugin, codes *Codes, log *slog.Logger) (*Plugin, error) {
	p := &Plugin{Name: rules.Name, Counts: &Counts{}, rules: *rules, codes: codes, log: log, stop: make(chan struct{}), replies: newFailureReplies()}
	if p.rules.Instances == 0 {
		p.rules.Instances = max(1, runtime.GOMAXPROCS(0)/2) // the rest of the CPUs is the loops'
	}
	p.workers = bounds.NewWorkersOf(p.rules.Instances, rules.Queue.Size)
	p.Counts.Took.Name, p.Counts.Took.Made = rules.Name, time.Now()
	if _, err := p.look(); err != nil {
		return nil, err
	}
	return p, nil
}

// Close ends looking at the file. Exchanges that are under way end as they began.
func (p *Plugin) Close() { p.once.Do(func() { close(p.stop) }) }

// Text is what the configuration says of it.
func (p *Plugin) Text() string { return p.rules.Text }

// File is where it is read from.
func (p *Plugin) File() string { return p.rules.File }

// SHA256 is that of what runs, in hexadecimal.
func (p *Plugin) SHA256() string { return hex.EncodeToString(p.now.Load().sum[:]) }

// Problem says why the content that the file has now isn't what runs; "" if it is.
func (p *Plugin) Problem() string {
	if text := p.problem.Load(); text != nil {
		return *text
	}
	return ""
}

// Memory is how many bytes the memories of the instances take that are idle now, and how
// many instances there are.
func (p *Plugin) Memory() (bytes uint64, instances int) { return p.now.Load().memory() }

// fileState identifies one state of a file.
type fileState struct {
	size     int64
	modified time.Time
}

// watch polls the file. It may be replaced by renaming or by writing, and on file
// systems without notifications: polling works for all.
func (p *Plugin) watch() {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
			p.Look()
		}
	}
}

// Look reads the file again if it has changed. What can't be used doesn't take the place
// of what is there.
func (p *Plugin) Look() {
	changed, err := p.look()
	switch {
	case err != nil && changed:
		text := err.Error()
		p.problem.Store(&text)
		p.log.Error("a plug-in's file can't be used, and what it held before goes on", "plugin", p.Name, "problem", text)
	case err == nil && changed:
		p.problem.Store(nil)
		p.log.Info("a plug-in was read", "plugin", p.Name, "file", p.rules.File)
	}
}

// look reads the file if it isn't in the state that was seen, and has what it holds now
// take the place of what is there. changed says that there was something to be done.
func (p *Plugin) look() (changed bool, err error) {
	p.looking.Lock()
	defer p.looking.Unlock()
	f, err := os.Open(p.rules.File)
	if err != nil {
		gone := p.seen != fileState{}
		p.seen = fileState{}
		return gone, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	state := fileState{info.Size(), info.ModTime()}
	if state == p.seen {
		return false, nil
	}
	p.seen = state
	b, err := io.ReadAll(io.LimitReader(f, mostFile+1))
	if err == nil {
		err = p.read(b)
	}
	if err != nil {
		return true, fmt.Errorf("%s: %w", p.rules.File, err)
	}
	return true, nil
}

// read takes what the file holds.
func (p *Plugin) read(b []byte) error {
	if len(b) > mostFile {
		return fmt.Errorf("it has more than %d bytes", mostFile)
	}
	sum := sha256.Sum256(b)
	if want := p.rules.SHA256; want != "" && want != hex.EncodeToString(sum[:]) {
		return fmt.Errorf("its SHA-256 is %x, and the configuration wants %s", sum, want)
	}
	if now := p.now.Load(); now != nil && now.sum == sum {
		return nil
	}
	m, err := compile(b, p.rules.Config, Limits{Time: p.rules.Time, Memory: p.rules.Memory, Instances: p.rules.Instances, Body: int(p.rules.Body)}, p.codes, p.message)
	if err != nil {
		return err
	}
	if m.unkept != nil {
		p.log.Warn("the code of a plug-in can't be kept on disk, and is compiled at each start", "plugin", p.Name, "error", m.unkept)
	}
	p.now.Store(m)
	return nil
}

// message logs what a guest says.
func (p *Plugin) message(level Level, text string) {
	p.messages.Say(p.log, slogLevels[level], clock.Now(), "a plug-in says", "plugin", p.Name, "text", text)
}

var slogLevels = [...]slog.Level{Info: slog.LevelInfo, Warn: slog.LevelWarn, Error: slog.LevelError}

// failed counts and logs a failure, the latter at most once a second.
func (p *Plugin) failed(f *Failure) {
	p.Counts.Failed[f.Reason].Add(1)
	args := []any{"plugin", p.Name, "reason", f.Reason.String(), "error", cut(f.Err.Error(), mostLogged)}
	if f.Said != "" {
		args = append(args, "wrote", f.Said)
	}
	p.failures.Warn(p.log, clock.Now(), "a plug-in failed", args...)
}

func cut(text string, most int) string { return text[:min(len(text), most)] }
