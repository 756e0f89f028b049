package main

import "sync"

// middlewares is how many frames a request goes through.
const middlewares = 8

// call is what a framework makes for a request, frame what it makes for each
// middleware on the way.
type (
	call struct {
		values []value
		top    *frame
	}
	frame struct {
		call *call
		next *frame
		key  string
		note [64]byte
	}
	value struct {
		key    string
		number int
	}
)

var frameKeys = [middlewares]string{"recover", "id", "log", "limit", "cors", "session", "user", "handler"}

// frameMaker is where calls and frames come from and go to.
type frameMaker struct {
	call   func() *call
	frame  func() *frame
	ended  func(*call)
	passed func(*frame)
}

func framesNew() func() int {
	m := frameMaker{
		call:   func() *call { return new(call) },
		frame:  func() *frame { return new(frame) },
		ended:  func(*call) {},
		passed: func(*frame) {},
	}
	return m.request
}

var (
	calls  = sync.Pool{New: func() any { return new(call) }}
	frames = sync.Pool{New: func() any { return new(frame) }}
)

func framesPooled() func() int {
	m := frameMaker{
		call:  func() *call { return calls.Get().(*call) },
		frame: func() *frame { return frames.Get().(*frame) },
		ended: func(c *call) {
			c.values, c.top = c.values[:0], nil
			calls.Put(c)
		},
		passed: func(f *frame) {
			*f = frame{}
			frames.Put(f)
		},
	}
	return m.request
}

// request goes through all middlewares once.
func (m *frameMaker) request() int {
	c := m.call()
	result := m.enter(c, 0)
	m.ended(c)
	return result
}

// enter goes through the middlewares from depth on, each of which leaves a value
// for those behind it.
func (m *frameMaker) enter(c *call, depth int) int {
	f := m.frame()
	f.call, f.next, f.key = c, c.top, frameKeys[depth]
	c.top = f
	c.values = append(c.values, value{f.key, depth})
	result := 0
	if depth+1 < middlewares {
		result = m.enter(c, depth+1)
	} else {
		result = c.handle()
	}
	c.top = f.next
	m.passed(f)
	return result
}

// handle adds up what the middlewares left.
func (c *call) handle() (sum int) {
	for f := c.top; f != nil; f = f.next {
		for _, v := range f.call.values {
			if v.key == f.key {
				sum += v.number + 1
			}
		}
	}
	return sum
}
