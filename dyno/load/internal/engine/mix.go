package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/template"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
)

// Program is the requests of a load, compiled once. It is read-only and shared
// by all loops.
type Program struct {
	requests  []*request.Compiled
	upto      []uint64          // cumulative weights
	handshake *request.Compiled // of a load over WebSockets, else nil
	env       *template.Env
	stop      []bool // by feed: the load ends with its last row
	seed      uint64
}

// NewProgram compiles requests, which were checked, to be sent to host; protocol is
// what stands in their first lines, such as HTTP/1.1.
func NewProgram(requests []request.Request, feeds []request.Feed, seed uint64, host, protocol string) (*Program, error) {
	return newProgram(requests, feeds, seed, func(r *request.Request, env *template.Env) (*request.Compiled, error) {
		return request.Compile(r, host, protocol, env)
	})
}

// NewMessages compiles requests, which were checked, as the messages of a load over
// WebSockets. The first has the handshake, which goes to host.
func NewMessages(requests []request.Request, feeds []request.Feed, seed uint64, host string) (*Program, error) {
	p, err := newProgram(requests, feeds, seed, request.CompileMessage)
	if err != nil {
		return nil, err
	}
	h := requests[0].Handshake()
	if p.handshake, err = request.Compile(&h, host, "HTTP/1.1", p.env); err != nil {
		return nil, fmt.Errorf("handshake: %w", err)
	}
	return p, nil
}

func newProgram(requests []request.Request, feeds []request.Feed, seed uint64, compile func(*request.Request, *template.Env) (*request.Compiled, error)) (*Program, error) {
	env, err := request.Environment(feeds)
	if err != nil {
		return nil, err
	}
	p := &Program{env: env, seed: seed}
	for _, f := range feeds {
		p.stop = append(p.stop, f.End == request.Stop)
	}
	total := uint64(0)
	for i := range requests {
		w, err := compile(&requests[i], env)
		if err != nil {
			return nil, i18n.Errorf("load.request", "request %d: %w", i+1, err)
		}
		w.Place = i
		total += uint64(max(requests[i].Weight, 1))
		p.requests, p.upto = append(p.requests, w), append(p.upto, total)
	}
	return p, nil
}

// maxKinds is how many kinds of requests a mix may have for each to have figures
// of its own: each takes a histogram of every second under way.
const maxKinds = 32

// Kinds is how many kinds of requests have figures of their own.
func (p *Program) Kinds() int {
	if n := len(p.requests); n > 1 && n <= maxKinds {
		return n
	}
	return 0
}

// choose returns the next request by weight.
func (p *Program) choose(rng *rand.Rand) *request.Compiled {
	if len(p.requests) == 1 {
		return p.requests[0]
	}
	at := rng.Uint64N(p.upto[len(p.upto)-1])
	i, found := slices.BinarySearch(p.upto, at)
	if found { // upto is the first that is no longer the request's
		i++
	}
	return p.requests[i]
}

// chooser makes the choices of one loop, the same for the same seed.
func (p *Program) chooser(part int) *rand.Rand {
	return rand.New(rand.NewPCG(p.seed, 1<<32+uint64(part)))
}

// mix hands out a loop's requests, the same for the same seed. It belongs to
// one loop.
type mix struct {
	*Program
	rng     *rand.Rand
	others  *rand.Rand // of what is never sent, so that what is sent stays the same
	state   *template.State
	scratch []byte
	wall    int64 // to be added to CLOCK_MONOTONIC to get Unix time, in ns
}

// mix returns the share's mix.
func (sh *Share) mix() *mix {
	p := sh.Program
	return &mix{
		Program: p, rng: p.chooser(sh.Part), others: rand.New(rand.NewPCG(p.seed, 3<<32+uint64(sh.Part))), state: p.env.NewState(p.seed, sh.Part, sh.Parts),
		wall: time.Now().UnixNano() - clock.Now(),
	}
}

// next starts the exchange of the next request at instant now (CLOCK_MONOTONIC,
// ns) and returns the bytes to send. They are valid until the exchange's next
// one, and must not be changed: constant requests share theirs.
func (m *mix) next(x *exchange, now int64) (wire []byte) {
	return m.render(x, m.choose(m.rng), now)
}

// unsent is the kind of a request that is never sent: one drawn by weight.
func (m *mix) unsent() *request.Compiled { return m.choose(m.others) }

// again is next, but of the same request as before if there was one.
func (m *mix) again(x *exchange, now int64) (wire []byte) {
	if x.request == nil {
		return m.next(x, now)
	}
	return m.render(x, x.request, now)
}

// handshakeOf starts the exchange of a handshake.
func (m *mix) handshakeOf(x *exchange, now int64) (wire []byte) {
	return m.render(x, m.handshake, now)
}

// render starts the exchange of a request.
func (m *mix) render(x *exchange, r *request.Compiled, now int64) (wire []byte) {
	x.start(r)
	if r.Constant != nil {
		return r.Constant
	}
	m.state.Now = now + m.wall
	m.state.Advance(r.Uses)
	if r.KeepsCookies {
		x.keepCookies(m.state.Now)
	}
	x.buf, m.scratch = r.Append(x.buf[:0], m.scratch, m.state, x.jar)
	return x.buf
}

// says reports whether a load over WebSockets has anything to say.
func (p *Program) says() bool {
	for _, r := range p.requests {
		if r.Constant == nil || len(r.Constant) > 0 {
			return true
		}
	}
	return false
}

// further renders the next message of a call that has begun. It is valid until the
// exchange's next one, and must not be changed.
func (m *mix) further(x *exchange, now int64) (framed []byte) {
	c := x.request.Call
	if c.Constant != nil {
		return c.Constant
	}
	m.state.Now = now + m.wall
	m.state.Advance(c.Uses)
	x.message, m.scratch = c.AppendMessage(x.message[:0], m.scratch, m.state)
	return x.message
}

// mostChosen bounds how far ahead a load that ends with a feed is looked at.
const mostChosen = 100_000_000

// UntilStop returns how many requests a loop can send until a feed that stops
// the load has no row left, or 0 and false if there is no such end.
func (p *Program) UntilStop(part, parts int) (n uint64, ends bool) {
	left := make(map[int]int)
	for i, f := range p.env.Feeds {
		if p.stop[i] && p.uses().Feed(i) {
			left[i] = f.Rows(part, parts)
		}
	}
	if len(left) == 0 {
		return 0, false
	}
	for rng := p.chooser(part); n < mostChosen; n++ {
		r := p.choose(rng)
		for i := range left {
			if !r.Uses.Feed(i) {
				continue
			}
			if left[i] -= r.Rows(i); left[i] < 0 {
				return n, true
			}
		}
	}
	return n, true
}

// uses is what any of the requests uses.
func (p *Program) uses() (u template.Uses) {
	for _, r := range p.requests {
		u = u.Or(r.Uses)
	}
	return u
}
