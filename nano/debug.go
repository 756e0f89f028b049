package nano

import (
	"bytes"
	"runtime"
	"strconv"
)

// What Config.Debug does. A handler gets bytes of its own, which nobody else will
// ever use: when it has returned they are overwritten, so that a View that was kept
// shows it for good, and not the bytes of a request that came later. And the response
// may only be touched by the goroutine that runs the handler.

// poisonByte is what Views that were kept are made of.
const poisonByte = 0xdb

func poison(b []byte) {
	for i := range b {
		b[i] = poisonByte
	}
}

// debugState is what an exchange keeps for Config.Debug.
type debugState struct {
	lent  [][]byte // decoded values that were handed out
	owner int64    // the goroutine that runs the handler; 0: nobody asks
}

// isolate gives the handler about to be run its own copy of the request.
func (x *liveRequest) isolate() {
	x.debug.owner = goroutineID()
	x.Buf = bytes.Clone(x.Buf)
	x.match.Scratch = bytes.Clone(x.match.Scratch)
	if x.Body.Ready && len(x.Body.Whole) > 0 {
		x.Body.Whole = bytes.Clone(x.Body.Whole)
	}
}

// spoil ends all that the handler was given.
func (x *liveRequest) spoil() {
	for _, b := range x.debug.lent {
		poison(b)
	}
	poison(x.Buf)
	poison(x.Body.Whole)
	poison(x.match.Scratch)
	poison(x.Fields)
	if x.form != nil {
		for _, v := range x.form.values {
			poison(v.value)
		}
	}
	x.debug, x.Buf, x.match.Scratch, x.Fields = debugState{}, nil, nil, nil
}

// handOut returns v, which lies in memory that may move or be used again, as the
// handler may keep it until it returns.
func (x *liveRequest) handOut(v []byte) []byte {
	if !x.app.config.Debug || v == nil {
		return v
	}
	own := append(make([]byte, 0, len(v)), v...)
	x.debug.lent = append(x.debug.lent, own)
	return own
}

// own is live for what changes the response: under Config.Debug it panics on another
// goroutine than the handler's.
func (c Ctx) own() *liveRequest {
	x := c.live()
	if x.app.config.Debug {
		x.checkOwner()
	}
	return x
}

func (x *liveRequest) checkOwner() {
	owner := x.debug.owner
	if at := goroutineID(); owner != 0 && at != owner {
		panic("nano: the response of " + routeName(x) + " was touched by goroutine " + strconv.FormatInt(at, 10) +
			" while goroutine " + strconv.FormatInt(owner, 10) + " runs its handler; have goroutines return what they found, and set it from the handler")
	}
}

// goroutineID reads the number of the goroutine from its stack trace, the only
// place that tells it.
func goroutineID() int64 {
	var space [64]byte
	text := space[:runtime.Stack(space[:], false)]
	text = bytes.TrimPrefix(text, []byte("goroutine "))
	n := int64(0)
	for _, c := range text {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int64(c-'0')
	}
	return n
}
