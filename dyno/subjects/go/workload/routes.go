package main

import (
	"io"
	"net/http"
	"strconv"
)

// task prepares a piece of work for one request and returns the work itself,
// which is then repeated. What it returns is the same each time, and the same
// for all ways to do the same work: so a response shows that it was done.
type task func() (work func() int)

func routes(s settings) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /plaintext", plaintext)
	mux.HandleFunc("GET /hijack", hijack)
	mux.HandleFunc("GET /memory", (&spiker{patience: s.patience}).giveBack)
	mux.HandleFunc("GET /wait", wait(s))
	mux.HandleFunc("POST /sink", sink)
	tasks := map[string]task{
		"/parse/std":      parseStandard,
		"/parse/raw":      parseRaw,
		"/escape/heap":    escapeHeap,
		"/escape/stack":   escapeStack,
		"/frames/new":     framesNew,
		"/frames/pooled":  framesPooled,
		"/buffers/new":    buffersNew,
		"/buffers/pooled": buffersPooled,
		"/decoder/new":    decoderNew,
		"/decoder/pooled": decoderPooled,
		"/alloc/local":    allocLocal,
		"/alloc/shared":   allocShared,
		"/route":          routing(s.router, s.routes, s.trees),
		"/cpu":            compute,
		"/none":           none,
	}
	for _, c := range codecs {
		tasks["/json/"+c.name] = c.both(s.size)
		tasks["/json/"+c.name+"/decode"] = c.decoding(s.size)
		tasks["/json/"+c.name+"/encode"] = c.encoding(s.size)
	}
	for path, t := range tasks {
		mux.HandleFunc("GET "+path, repeat(t, s.repeat))
	}
	return mux
}

// none is no work: what a request costs without any, for studies to take off.
func none() func() int { return func() int { return 0 } }

func plaintext(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "Hello, World!")
}

// sink reads what was sent, to its end, and responds with how many bytes that were.
func sink(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxSize))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, strconv.FormatInt(n, 10))
}

// repeat responds with what the work returned the last of n times.
func repeat(t task, n int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		work := t()
		result := 0
		for range n {
			result = work()
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, strconv.Itoa(result))
	}
}
