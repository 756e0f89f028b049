package main

import (
	"time"

	"dyno.example/nano"
)

type profile struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

type received struct {
	Bytes int `json:"bytes"`
}

func routes(s settings) *nano.App {
	app := nano.New(nano.Config{Limits: nano.Limits{Body: 16 << 20}})
	work := (&desk{seats: make(chan struct{}, max(s.room, 1)), room: s.room, wait: s.wait, patience: s.patience}).work
	// Its own health is asked by whoever starts it, and is not a part of the work.
	app.Get("/health", func(c nano.Ctx) error { return c.Text(200, "ok") })
	app.Get("/plaintext", func(c nano.Ctx) error {
		if !work() {
			return busy(c)
		}
		return c.Text(200, "Hello, World!")
	})
	app.Get("/users/{id}/profile", func(c nano.Ctx) error {
		id := c.Param("id").String()
		if !work() {
			return busy(c)
		}
		return c.JSON(200, profile{ID: id, Name: "User " + id, Email: "user" + id + "@example.com"})
	})
	app.Post("/api/users", func(c nano.Ctx) error {
		body, err := c.Body()
		if err != nil {
			return err
		}
		n := len(body)
		if !work() {
			return busy(c)
		}
		return c.JSON(201, received{n})
	})
	app.Get("/api/slow", func(c nano.Ctx) error {
		time.Sleep(s.slow)
		return c.Text(200, "at last")
	})
	return app
}

func busy(c nano.Ctx) error { return c.Text(503, "busy") }

// desk is where requests are worked on: so many at once, the others wait in line.
type desk struct {
	seats          chan struct{}
	room           int // 0: as many as come
	wait, patience time.Duration
}

// work does the work of a request. It reports false if there was no room in time.
func (d *desk) work() bool {
	if d.room > 0 {
		if !d.sit() {
			return false
		}
		defer func() { <-d.seats }()
	}
	if d.wait > 0 {
		time.Sleep(d.wait)
	}
	return true
}

func (d *desk) sit() bool {
	if d.patience == 0 {
		d.seats <- struct{}{}
		return true
	}
	select {
	case d.seats <- struct{}{}:
		return true
	default:
	}
	late := time.NewTimer(d.patience)
	defer late.Stop()
	select {
	case d.seats <- struct{}{}:
		return true
	case <-late.C:
		return false
	}
}
