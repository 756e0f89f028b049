//go:build linux

package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/go-playground/validator/v10"

	"dyno.example/nano"
	"dyno.example/nano/validate"
	"dyno.example/nano/ws"
)

// order is the body of POST /orders, as in testdata/peers.
type order struct {
	ID       int64    `json:"id" validate:"required,gte=1"`
	Name     string   `json:"name" validate:"required,max=100"`
	Email    string   `json:"email" validate:"required,email"`
	Note     string   `json:"note" validate:"max=2000"`
	Tags     []string `json:"tags" validate:"max=20,dive,max=40"`
	Quantity int      `json:"quantity" validate:"gte=1,lte=1000"`
}

const tick = "{\"symbol\":\"DYNO\",\"price\":1234.5,\"at\":\"2026-01-01T00:00:00Z\"}"

// ticker wakes all who wait, once a second.
type ticker struct {
	mu   sync.Mutex
	next chan struct{}
}

func newTicker() *ticker {
	t := &ticker{next: make(chan struct{})}
	go func() {
		for range time.Tick(time.Second) {
			t.mu.Lock()
			close(t.next)
			t.next = make(chan struct{})
			t.mu.Unlock()
		}
	}()
	return t
}

// wait returns what is closed at the next tick.
func (t *ticker) wait() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.next
}

// everydayOfNano adds the everyday routes.
func everydayOfNano(app *nano.App, files string) {
	ticks := newTicker()
	app.Static("/files/", os.DirFS(files), nano.StaticOptions{})
	app.Post("/orders", func(c nano.Ctx) error {
		o, err := nano.Bind[order](c)
		if err != nil {
			return err
		}
		return c.JSON(201, map[string]int64{"id": o.ID})
	})
	app.Get("/events", func(c nano.Ctx) error {
		return c.SSE(func(e *nano.Events) error {
			for {
				select {
				case <-c.Done():
					return nil
				case <-ticks.wait():
					if err := e.Data(tick); err != nil {
						return err
					}
				}
			}
		})
	})
	app.Get("/echo", ws.Handler(ws.Options{}, func(ctx context.Context, conn *websocket.Conn) error {
		for {
			kind, data, err := conn.Read(ctx)
			if err != nil {
				return err
			}
			if err := conn.Write(ctx, kind, data); err != nil {
				return err
			}
		}
	}))
}

// validated is the validator of nano's app.
func validated() func(any) error { return validate.New().Func() }

// everydayOfNetHTTP adds the everyday routes.
func everydayOfNetHTTP(mux *http.ServeMux, files string) {
	ticks, valid := newTicker(), validator.New()
	mux.Handle("GET /files/", http.StripPrefix("/files/", http.FileServer(http.Dir(files))))
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		var o order
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4<<20)).Decode(&o)
		if err == nil {
			err = valid.Struct(&o)
		}
		if err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(201)
		_ = json.NewEncoder(w).Encode(map[string]int64{"id": o.ID}) // an error is the client's going
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		out := http.NewResponseController(w)
		for {
			select {
			case <-r.Context().Done():
				return
			case <-ticks.wait():
				if _, err := io.WriteString(w, "data: "+tick+"\n\n"); err != nil || out.Flush() != nil {
					return
				}
			}
		}
	})
	mux.HandleFunc("GET /echo", func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		for {
			kind, data, err := conn.Read(r.Context())
			if err != nil || conn.Write(r.Context(), kind, data) != nil {
				return
			}
		}
	})
}
