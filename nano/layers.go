package nano

import (
	"reflect"
	"runtime"
	"strconv"
	"strings"
)

// Named gives a middleware a name, for [App.Timings] and [Route.Middleware].
// Without one it is that of the function that made it.
//
//go:noinline
func Named(name string, mw Middleware) Middleware {
	return func(next Handler) Handler {
		if next == nil { // only nameOf asks so
			return func(Ctx) error { return layerName(name) }
		}
		return mw(next)
	}
}

// layerName is a name on its way out of Named's function, which is the only
// thing that knows it.
type layerName string

func (n layerName) Error() string { return string(n) }

func layersOf(mw []Middleware) []layer {
	layers := make([]layer, len(mw))
	for i, m := range mw {
		layers[i] = layer{name: nameOf(m), wrap: m}
	}
	return layers
}

// nameOf returns the name a middleware was given, or that of its function
// without the path of its package.
func nameOf(mw Middleware) string {
	code := reflect.ValueOf(mw).Pointer()
	if code == reflect.ValueOf(Named("", nil)).Pointer() {
		return mw(nil)(Ctx{}).Error()
	}
	name := runtime.FuncForPC(code).Name()
	name = name[strings.LastIndexByte(name, '/')+1:]
	if i := strings.Index(name, ".func"); i > 0 {
		name = name[:i]
	}
	return name
}

// caller returns file:line of the code outside this package that called it.
func caller() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	self, _ := frames.Next()
	in := self.Function[:strings.LastIndexByte(self.Function, '/')+1]
	in += strings.SplitAfterN(self.Function[len(in):], ".", 2)[0]
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, in) || strings.HasSuffix(f.File, "_test.go") {
			return f.File + ":" + strconv.Itoa(f.Line)
		}
		if !more {
			return "unknown"
		}
	}
}
