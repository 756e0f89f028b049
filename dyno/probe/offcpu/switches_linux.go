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
	fixed     = 40 // bytes of a stretch before its stack
)

// Watcher watches some processes until it is stopped.
type Watcher struct {
	collection *ebpf.Collection
	links      []link.Link
	reader     *ringbuf.Reader
	seen       Seen
	names      map[uint32]*sampled.Names // by process
	places     map[string]uint32         // of stacks, by process, state, call and stack as the kernel writes them
	runnable   map[string]uint32         // the same of threads that could run
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
	w := &Watcher{names: map[uint32]*sampled.Names{}, places: map[string]uint32{}, runnable: map[string]uint32{}, stop: make(chan struct{}), done: make(chan struct{})}
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
	depth := int(word.Uint16(raw[38:]))
	if depth > deepest {
		return
	}
	from, to, woken := int64(word.Uint64(raw)), int64(word.Uint64(raw[8:])), int64(word.Uint64(raw[16:]))
	thread, state := int32(word.Uint32(raw[24:])), word.Uint32(raw[32:])
	tip := why(state, int16(word.Uint16(raw[36:])))
	if woken <= from || woken > to || state == preempted {
		woken = to
	}
	key := raw[28 : fixed+8*depth]
	w.seen.add(Stretch{From: from, To: woken, Thread: thread, stack: w.place(w.places, key, tip)})
	if woken < to {
		w.seen.add(Stretch{From: woken, To: to, Thread: thread, stack: w.place(w.runnable, key, couldRun)})
	}
}

// place is that of a stack as the kernel writes it, below a tip.
func (w *Watcher) place(places map[string]uint32, key []byte, tip string) uint32 {
	at, known := places[string(key)]
	if !known {
		at = w.seen.place(w.name(binary.NativeEndian.Uint32(key), tip, key[12:]))
		places[string(key)] = at
	}
	return at
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
