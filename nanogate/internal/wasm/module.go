package wasm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// module is a guest's code, compiled, with the instances that run it. It has a runtime of
// its own, which holds nothing that the garbage collector doesn't take back: another
// module takes its place by one pointer, and requests that this one has seen come back to
// it as long as they last.
type module struct {
	limits   Limits
	sum      [sha256.Size]byte // of its binary
	config   []byte            // that the guest reads
	runtime  wazero.Runtime
	code     wazero.CompiledModule
	features Features // that its first instance has enabled
	unkept   error    // why its code isn't on disk, where it should be; nil: it is

	log func(level Level, text string)

	mu    sync.Mutex
	freed sync.Cond   // an instance is idle, or gone
	idle  []*instance // those used last at the end
	made  int         // instances that there are, those that run included
}

// Limits bound what a guest may take.
type Limits struct {
	Time      time.Duration // of one call
	Memory    int64         // bytes of one instance
	Instances int           // at once
	Body      int           // bytes of a body that is read or written
}

const (
	pageSize  = 64 << 10         // bytes, of WebAssembly's memory
	startTime = 10 * time.Second // for an instance to be made: a guest sets itself up once

	handleRequest  = "handle_request"
	handleResponse = "handle_response"
)

// coreFeatures are those of WebAssembly that guests may use: 2.0 without reference
// types, as tables that grow are memory that isn't counted.
const coreFeatures = api.CoreFeaturesV2 &^ api.CoreFeatureReferenceTypes

// compile makes a module of its binary, and a first instance. codes is where its code may
// be kept; nil: nowhere.
func compile(binary, config []byte, limits Limits, codes *Codes, log func(Level, string)) (*module, error) {
	if err := checkTables(binary); err != nil {
		return nil, err
	}
	ctx := context.Background()
	m := &module{sum: sha256.Sum256(binary), limits: limits, config: config, log: log}
	m.freed.L = &m.mu
	err := m.translate(ctx, binary, codes)
	if err != nil && codes != nil {
		m.unkept = err
		codes.forget(m.sum)
		err = m.translate(ctx, binary, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("it can't be compiled: %s", brief(err))
	}
	if err := m.prepare(ctx); err != nil {
		_ = m.runtime.Close(ctx) // its error is of no use
		return nil, err
	}
	return m, nil
}

// translate makes machine code of the binary, or takes what was kept of it.
func (m *module) translate(ctx context.Context, binary []byte, codes *Codes) (err error) {
	rules := wazero.NewRuntimeConfig().WithCoreFeatures(coreFeatures).WithCloseOnContextDone(true).
		WithMemoryLimitPages(uint32(m.limits.Memory / pageSize))
	if codes != nil {
		cache, err := codes.open(m.sum)
		if err != nil {
			return err
		}
		rules = rules.WithCompilationCache(cache)
	}
	m.runtime = wazero.NewRuntimeWithConfig(ctx, rules)
	if m.code, err = m.runtime.CompileModule(ctx, binary); err != nil {
		_ = m.runtime.Close(ctx)
		return err
	}
	if codes != nil {
		m.unkept = codes.used(m.sum)
	}
	return nil
}

// prepare checks the module's exports and imports, and makes an instance.
func (m *module) prepare(ctx context.Context) (err error) {
	if err = checkExports(m.code); err != nil {
		return err
	}
	if err = m.offer(ctx); err != nil {
		return err
	}
	first, err := m.start()
	if err != nil {
		return err
	}
	m.features = first.features
	m.made, m.idle = 1, append(m.idle, first)
	return nil
}

// checkExports says what a module lacks to be a plug-in.
func checkExports(code wazero.CompiledModule) error {
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	functions := code.ExportedFunctions()
	for _, want := range []struct {
		name            string
		params, results []api.ValueType
		text            string
	}{
		{handleRequest, nil, []api.ValueType{i64}, "() -> i64"},
		{handleResponse, []api.ValueType{i32, i32}, nil, "(i32, i32)"},
	} {
		f := functions[want.name]
		if f == nil {
			return fmt.Errorf("it exports no function %s %s, so it is no plug-in by the http-wasm handler ABI", want.name, want.text)
		}
		if !slices.Equal(f.ParamTypes(), want.params) || !slices.Equal(f.ResultTypes(), want.results) {
			return fmt.Errorf("its function %s has other parameters or results than %s", want.name, want.text)
		}
	}
	if code.ExportedMemories()["memory"] == nil {
		return errors.New("it exports no memory by the name memory")
	}
	return nil
}

// offer provides the guest's imports: the ABI, and of WASI what needs nothing else of
// the system. Other imports are an error when the module is started.
func (m *module) offer(ctx context.Context) error {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, m.runtime); err != nil {
		return err
	}
	b := m.runtime.NewHostModuleBuilder("http_handler")
	for _, f := range hostFunctions {
		b = b.NewFunctionBuilder().WithGoModuleFunction(f.host(), f.params, f.results).Export(f.name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

// take gives the caller an instance of its own, until put: that one, or any if it is nil.
// It makes one if there may be more, and waits for one if not: none is away for longer
// than a call takes.
func (m *module) take(that *instance) (*instance, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		switch n := len(m.idle); {
		case that != nil && that.gone:
			return nil, errGone
		case that != nil:
			if i := slices.Index(m.idle, that); i >= 0 {
				m.idle = slices.Delete(m.idle, i, i+1)
				return that, nil
			}
		case n > 0:
			in := m.idle[n-1]
			m.idle = m.idle[:n-1]
			return in, nil
		case m.made < m.limits.Instances:
			m.made++
			m.mu.Unlock()
			in, err := m.start()
			m.mu.Lock()
			if err != nil {
				m.made--
				m.freed.Broadcast()
			}
			return in, err
		}
		m.freed.Wait()
	}
}

var errGone = errors.New("the instance that had the request is gone, and what it knew of it")

// put gives an instance back, or throws it away: one that was stopped anywhere isn't
// called again.
func (m *module) put(in *instance, sound bool) {
	if !sound {
		in.close()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if sound {
		m.idle = append(m.idle, in)
	} else {
		in.gone = true
		m.made--
	}
	m.freed.Broadcast()
}

// memory is how many bytes the idle instances have, and how many instances there are.
func (m *module) memory() (bytes uint64, instances int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, in := range m.idle {
		bytes += uint64(in.guest.Memory().Size())
	}
	return bytes, m.made
}
