package wasm

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/request"
)

// turn is an exchange on its way by a plug-in: first with its request, then perhaps with
// its response.
type turn struct {
	p  *Plugin
	m  *module // that has seen the request
	x  *Exchange
	in *instance // that has seen the request, if it keeps something of it; nil: any will do
	id uint32    // by which it does (ctx of the ABI's ctx_next)

	told     atomic.Int32 // what it has been called with, or is being
	features Features
	promised Fields // of the response, from before there was one
	early    []byte // what it has written as the response's body before there was one; nil: nothing
}

const (
	nothingYet int32 = iota
	itsResponse
	itsEnd
)

// takesResponse reports whether the guest may be called with a response: its request isn't
// over. There may be a second one, if the first has said that what is stored hasn't changed,
// and nothing is: the guest sees that too, as it is what the client gets.
func (t *turn) takesResponse() bool {
	return t.told.CompareAndSwap(nothingYet, itsResponse) || t.told.Load() == itsResponse
}

// request calls the guest with the request. It reports whether the request goes on;
// else the exchange has the guest's response.
func (t *turn) request() (next bool, failure *Failure) {
	in, err := t.m.take(nil)
	if err != nil {
		return false, &Failure{Reason: Unstarted, Err: err}
	}
	t.p.Counts.Requests.Add(1)
	c := &call{in: in, x: t.x, features: t.m.features}
	results, failure := t.call(c, handleRequest)
	if failure != nil {
		return false, failure
	}
	t.features, t.id = c.features, uint32(results[0]>>32)
	switch uint32(results[0]) {
	case 0:
		t.p.Counts.Replied.Add(1)
		return false, nil
	case 1:
		if t.x.Changed.Content {
			if t.features&BufferResponse == 0 {
				return false, &Failure{Reason: Forbidden, Err: errEarly}
			}
			t.early = append([]byte{}, t.x.Content...)
		}
		if t.id != 0 {
			t.in = in
		}
		return true, nil
	}
	return false, &Failure{Reason: Forbidden, Err: fmt.Errorf("%s returned %d for whether to go on, which is neither 0 nor 1", handleRequest, uint32(results[0]))}
}

// response calls the guest with the response. gone says that there is none, or a part of one.
func (t *turn) response(gone bool) *Failure {
	in, err := t.m.take(t.in)
	if err != nil {
		return &Failure{Reason: Unstarted, Err: err}
	}
	t.p.Counts.Responses.Add(1)
	c := &call{in: in, x: t.x, after: true, features: t.features}
	_, failure := t.call(c, handleResponse, uint64(t.id), boolean(gone))
	return failure
}

// ended calls the guest when a request has ended that it has let pass and whose response it
// hasn't seen: the gateway has responded itself or from its cache, a later middleware has,
// or there was no response. The ABI has handle_response called once for each such request,
// so that guests release what they keep for it. Changes of the guest are too late then.
func (t *turn) ended(o *request.Outcome) {
	if !t.told.CompareAndSwap(nothingYet, itsEnd) {
		return
	}
	status, gone := o.Status, o.Failed != request.OK || o.Status == 0
	if !t.p.workers.Do(func() {
		t.x.Changed, t.x.Status, t.x.Response, t.x.Content = Changes{}, status, nil, nil
		if failure := t.response(gone); failure != nil && !errors.Is(failure, errGone) {
			t.p.failed(failure)
		}
	}) {
		t.p.failed(&Failure{Reason: Crowded, Err: errCrowded})
	}
}

// call calls a function, counts it, and gives the instance back.
func (t *turn) call(c *call, name string, params ...uint64) ([]uint64, *Failure) {
	began := clock.Now()
	f := c.in.request
	if c.after {
		f = c.in.response
	}
	results, failure := c.in.run(c, f, params...)
	t.p.Counts.Took.Since(began)
	t.m.put(c.in, failure == nil)
	return results, failure
}

var errEarly = errors.New("it has written a response's body and let the request go on, without buffer_response")

// later has the work done by the plug-in's own workers. without is the reply if it isn't
// done in time. content, if it isn't nil, is called with the request's body before.
func (p *Plugin) later(without *request.Reply, content func([]byte), work func() func(*request.Request) *request.Reply) *request.Reply {
	a, looked, full := *without, false, false
	within, queued := p.rules.Queue.Wait+p.rules.Time+slack, int64(0)
	a.Deferred = &request.Deferred{
		Within: within, Pass: p.rules.Pass, Content: content, Most: int(p.rules.Body),
		By: func(job func()) bool {
			queued = clock.Now()
			if p.workers.Do(job) {
				return true
			}
			full = true
			return false
		},
		Work: func(context.Context) func(*request.Request) *request.Reply {
			looked = true
			if clock.Now()-queued > int64(p.rules.Queue.Wait) {
				p.failed(&Failure{Reason: Crowded, Err: errCrowded})
				return nil
			}
			return work()
		},
		Over: func() {
			if full || !looked && queued != 0 && clock.Now()-queued >= int64(within) { // else the client has gone
				p.failed(&Failure{Reason: Crowded, Err: errCrowded})
			}
		},
	}
	return &a
}

// slack is what the loop waits for a call beyond its time: for a new instance of a guest to
// be made, and for the machine to get round to it.
const slack = time.Second

var errCrowded = errors.New("there was no turn for it in time")
