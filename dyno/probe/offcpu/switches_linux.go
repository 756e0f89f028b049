package offcpu

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/ringbuf"
	"github.com/cilium/ebpf/rlimit"

	"dyno.example/dyno/probe/sampled"
	"dyno.example/nano/wire/clock"
)

//go:embed switches.bpf.o
var object []byte

const (
	readEvery = 50 * time.Millisecond
	deepest   = 48
	fixed     = 32 // bytes of a stretch before its stack
)

// Watcher watches some processes until it is stopped.
type Watcher struct {
	collection *ebpf.Collection
	links      []link.Link
	reader     *ringbuf.Reader
	seen       Seen
	names      map[uint32]*sampled.Names // by process
	functions  map[string][]string       // by process and stack, as the kernel writes them
	stop, done chan struct{}
}

// Start watches the threads of processes, and of those that they start from now on. It takes
// root, or CAP_BPF and CAP_PERFMON, and a kernel with BTF; the error says so.
func Start(processes []int) (*Watcher, error) {
	_ = rlimit.RemoveMemlock() // not needed since 5.11; its failure shows below
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(object))
	if err != nil {
		return nil, err
	}
	w := &Watcher{names: map[uint32]*sampled.Names{}, functions: map[string][]string{}, stop: make(chan struct{}), done: make(chan struct{})}
	if w.collection, err = ebpf.NewCollection(spec); err != nil {
		return nil, fmt.Errorf("watching threads leave the CPU (which takes a kernel with BTF, and root, or CAP_BPF and CAP_PERFMON): %w", err)
	}
	if err := w.begin(spec, processes); err != nil {
		w.close()
		return nil, fmt.Errorf("watching threads leave the CPU: %w", err)
	}
	go w.run()
	return w, nil
}

func (w *Watcher) begin(spec *ebpf.CollectionSpec, processes []int) error {
	watched := spec.Variables["watched"]
	bss := w.collection.Maps[watched.SectionName]
	memory, err := bss.Memory()
	if err != nil {
		return err
	}
	for _, pid := range processes {
		if pid <= 0 || pid >= int(watched.Size()) {
			return fmt.Errorf("process %d: no such number", pid)
		}
		if _, err := memory.WriteAt([]byte{1}, int64(watched.Offset)+int64(pid)); err != nil {
			return err
		}
	}
	if w.reader, err = ringbuf.NewReader(w.collection.Maps["ended"]); err != nil {
		return err
	}
	for _, program := range w.collection.Programs {
		l, err := link.AttachTracing(link.TracingOptions{Program: program})
		if err != nil {
			return err
		}
		w.links = append(w.links, l)
	}
	return nil
}

func (w *Watcher) run() {
	defer close(w.done)
	for stopped := false; !stopped; {
		select {
		case <-w.stop:
			stopped = true
		case <-time.After(readEvery):
		}
		w.read()
	}
}

// read takes what has come.
func (w *Watcher) read() {
	w.reader.SetDeadline(time.Unix(1, 0)) // past: what is there, and no waiting
	var r ringbuf.Record
	for w.reader.ReadInto(&r) == nil {
		w.take(r.RawSample)
	}
}

// take notes a stretch as the kernel writes it.
func (w *Watcher) take(raw []byte) {
	if len(raw) < fixed+8*deepest {
		return
	}
	word := binary.NativeEndian
	pid, depth := word.Uint32(raw[20:]), int(word.Uint16(raw[30:]))
	if depth > deepest {
		return
	}
	one := Stretch{From: int64(word.Uint64(raw)), To: int64(word.Uint64(raw[8:])), Thread: int32(word.Uint32(raw[16:]))}
	key := raw[20 : fixed+8*depth] // process, state, call, stack
	functions, known := w.functions[string(key)]
	if !known {
		functions = w.name(pid, why(word.Uint32(raw[24:]), int16(word.Uint16(raw[28:]))), raw[fixed:fixed+8*depth])
		w.functions[string(key)] = functions
	}
	w.seen.add(one, functions)
}

// name finds the functions of a stack while its process is there.
func (w *Watcher) name(pid uint32, tip string, stack []byte) []string {
	names := w.names[pid]
	if names == nil {
		names = sampled.NewNames(int(pid))
		w.names[pid] = names
	}
	functions := []string{tip}
	for at := 0; at < len(stack); at += 8 {
		address := binary.NativeEndian.Uint64(stack[at:])
		if at > 0 {
			address-- // it is where the call returns to, which may be another function's beginning
		}
		functions = append(functions, names.Function(address))
	}
	return functions
}

// Stop ends it, and returns what was seen. Threads that are off the CPU then were so until then.
func (w *Watcher) Stop() *Seen {
	for _, l := range w.links {
		_ = l.Close()
	}
	w.links = nil
	close(w.stop)
	<-w.done
	var tid uint32
	raw := make([]byte, fixed+8*deepest)
	for open := w.collection.Maps["threads"].Iterate(); open.Next(&tid, &raw); {
		if binary.NativeEndian.Uint64(raw) != 0 {
			binary.NativeEndian.PutUint64(raw[8:], uint64(clock.Now()))
			w.take(raw)
		}
	}
	var lost uint64
	if err := w.collection.Variables["lost"].Get(&lost); err == nil {
		w.seen.Lost += lost
	}
	w.close()
	return &w.seen
}

func (w *Watcher) close() {
	for _, l := range w.links {
		_ = l.Close()
	}
	if w.reader != nil {
		_ = w.reader.Close()
	}
	w.collection.Close()
}
