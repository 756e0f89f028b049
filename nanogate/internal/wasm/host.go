package wasm

import (
	"context"

	"github.com/tetratelabs/wazero/api"
)

// Features are what a guest may enable in its host (http-wasm HTTP handler ABI,
// features).
type Features uint32

const (
	BufferRequest  Features = 1 // the request's body may be read and replaced
	BufferResponse Features = 2 // and the response's
	Trailers       Features = 4
)

// Level is how important what a guest logs is (log_level of the ABI).
type Level int32

const (
	Debug Level = -1
	Info  Level = 0
	Warn  Level = 1
	Error Level = 2
)

// hostFunction is a function of the ABI that guests import. stack has its parameters, and
// gets its result.
type hostFunction struct {
	name            string
	params, results []api.ValueType
	always          bool // also while the guest starts: it needs no exchange
	do              func(c *call, mem memory, stack []uint64)
}

var (
	none = []api.ValueType{}
	i1   = []api.ValueType{api.ValueTypeI32}
	i2   = []api.ValueType{api.ValueTypeI32, api.ValueTypeI32}
	i3   = []api.ValueType{api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32}
	i5   = []api.ValueType{api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32}
	l1   = []api.ValueType{api.ValueTypeI64}
)

// hostFunctions are all of the ABI.
var hostFunctions = []hostFunction{
	{"enable_features", i1, i1, true, (*call).enable},
	{"get_config", i2, i1, true, func(c *call, mem memory, s []uint64) { s[0] = mem.give(s[0], s[1], c.in.module.config) }},
	{"log", i3, none, true, (*call).log},
	{"log_enabled", i1, i1, true, func(_ *call, _ memory, s []uint64) { s[0] = boolean(Level(int32(uint32(s[0]))) >= Info) }},

	{"get_method", i2, i1, false, func(c *call, mem memory, s []uint64) { s[0] = mem.give(s[0], s[1], []byte(c.x.Method)) }},
	{"set_method", i2, none, false, (*call).setMethod},
	{"get_uri", i2, i1, false, func(c *call, mem memory, s []uint64) { s[0] = mem.give(s[0], s[1], []byte(c.x.URI)) }},
	{"set_uri", i2, none, false, (*call).setURI},
	{"get_protocol_version", i2, i1, false, func(c *call, mem memory, s []uint64) { s[0] = mem.give(s[0], s[1], []byte(c.x.Proto)) }},
	{"get_source_addr", i2, i1, false, func(c *call, mem memory, s []uint64) { s[0] = mem.give(s[0], s[1], []byte(c.x.Source)) }},

	{"get_header_names", i3, l1, false, (*call).names},
	{"get_header_values", i5, l1, false, (*call).values},
	{"set_header_value", i5, none, false, (*call).setField},
	{"add_header_value", i5, none, false, (*call).addField},
	{"remove_header", i3, none, false, (*call).removeField},

	{"read_body", i3, l1, false, (*call).readBody},
	{"write_body", i3, none, false, (*call).writeBody},

	{"get_status_code", none, i1, false, (*call).status},
	{"set_status_code", i1, none, false, (*call).setStatus},
}

// host is the function as the runtime calls it.
func (f *hostFunction) host() api.GoModuleFunction {
	return api.GoModuleFunc(func(ctx context.Context, guest api.Module, stack []uint64) {
		c, _ := ctx.Value(callKey{}).(*call)
		switch {
		case c == nil:
			forbid("%s was called outside of a call", f.name)
		case c.x == nil && !f.always:
			forbid("%s was called while the guest started, when there is no request", f.name)
		}
		f.do(c, memory{guest.Memory()}, stack)
	})
}

func boolean(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// memory is a guest's, with every place checked that the guest names: one outside of it
// ends the call.
type memory struct{ api.Memory }

// take copies what the guest has written.
func (m memory) take(at, n uint64) string { return string(m.view(at, n)) }

// view is what the guest has written, until it goes on.
func (m memory) view(at, n uint64) []byte {
	if uint32(n) == 0 {
		return nil
	}
	if m.Memory == nil {
		forbid("there is no memory yet")
	}
	b, ok := m.Read(uint32(at), uint32(n))
	if !ok {
		forbid("%d bytes at %d are outside of the guest's memory, which has %d", uint32(n), uint32(at), m.Size())
	}
	return b
}

// give writes a value, unless it is longer than the guest has room for, and returns its
// length (buf_limit of the ABI).
func (m memory) give(at, limit uint64, value []byte) uint64 {
	if len(value) > 0 && len(value) <= int(uint32(limit)) {
		copy(m.view(at, uint64(len(value))), value)
	}
	return uint64(len(value))
}

// giveAll writes values, a zero after each, under the same condition, and returns how
// many they are, and above that their length (count_len of the ABI).
func (m memory) giveAll(at, limit uint64, values []string) uint64 {
	size := len(values)
	for _, v := range values {
		size += len(v)
	}
	if size > 0 && size <= int(uint32(limit)) {
		b := m.view(at, uint64(size))
		for _, v := range values {
			n := copy(b, v)
			b[n] = 0
			b = b[n+1:]
		}
	}
	return uint64(len(values))<<32 | uint64(size)
}

// enable turns features on, and says which there are. The request's body is read before
// the guest is called, so features enabled only then have no effect.
func (c *call) enable(_ memory, s []uint64) {
	offered := supported
	if c.x != nil && c.in.module.features&BufferRequest == 0 {
		offered &^= BufferRequest
	}
	if !c.after {
		c.features |= Features(s[0]) & offered
	}
	s[0] = uint64(offered)
}

// mostLogged is how much of a message is logged, in bytes.
const mostLogged = 1 << 10

// log passes a message on. The ABI has messages dropped that can't be logged, but memory
// outside the guest's is an error.
func (c *call) log(mem memory, s []uint64) {
	level := Level(int32(uint32(s[0])))
	if level < Info || level > Error {
		return
	}
	text := mem.view(s[1], s[2])
	c.in.module.log(level, string(text[:min(len(text), mostLogged)]))
}

// supported are the features that there are here: trailers go past unread.
const supported = BufferRequest | BufferResponse
