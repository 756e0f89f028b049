package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	oteltrace "go.opentelemetry.io/otel/trace"

	"dyno.example/nano"
	"dyno.example/nano/jwt"
	"dyno.example/nano/metrics"
	"dyno.example/nano/middleware"
	"dyno.example/nano/openapi"
	"dyno.example/nano/trace"
	"dyno.example/nano/validate"
	"dyno.example/nano/ws"
)

// shop is the service behind the routes.
type shop struct {
	store    *store
	pictures *os.Root
}

func newShop(pictures *os.Root) *shop { return &shop{store: newStore(), pictures: pictures} }

// newItem is a request to sell something.
type newItem struct {
	Name  string `json:"name" validate:"required,max=100"`
	Cents int64  `json:"cents" validate:"gte=1,lte=100000000"`
}

// listing is a request for a page of items.
type listing struct {
	Page int `query:"page" default:"1" validate:"gte=1,lte=1000000"`
	Size int `query:"size" default:"20" validate:"gte=1,lte=100"`
}

// app makes the routes. spans is nil for the global provider of traces.
func (s *shop) app(secret []byte, spans oteltrace.TracerProvider) *nano.App {
	app := nano.New(nano.Config{Validator: validate.New().Func(), StrictJSON: true, ErrorHandler: handleError})
	measured := metrics.New(metrics.Config{})
	app.Use(
		middleware.RequestID(middleware.RequestIDConfig{}),
		middleware.AccessLog(middleware.AccessLogConfig{}),
		measured.Middleware(),
		trace.New(trace.Config{Provider: spans}),
		middleware.Secure(middleware.SecureConfig{}),
	)
	app.Get("/health", func(c nano.Ctx) error { return c.Text(200, "ok") })
	app.Get("/metrics", measured.Handler())
	app.Get("/openapi.json", openapi.Handler(openapi.Config{
		Title: "Shop", Version: "1.0.0", Security: map[string]openapi.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}},
	}))
	app.Route("/v1", func(v1 *nano.Group) {
		v1.Default(nano.WithLimits(nano.RouteLimits{Body: 64 << 10, Handler: 5 * time.Second}))
		v1.Get("/items", s.list, nano.Binds[listing](), nano.Describe(openapi.Operation{Summary: "A page of items", Responses: openapi.Responses{200: {Body: []item{}}}}))
		v1.Get("/items/{id:int}", s.show, nano.Name("item"), nano.Describe(openapi.Operation{Summary: "An item", Responses: openapi.Responses{200: {Body: item{}}, 404: {}}}))
		v1.Get("/items/{id:int}/picture", s.picture)
		v1.Get("/events", s.events, nano.WithLimits(nano.RouteLimits{Handler: -1}))
		v1.Get("/live", ws.Handler(ws.Options{}, s.live), nano.WithLimits(nano.RouteLimits{Handler: -1}))

		sellers := v1.Group("", jwt.New(jwt.Config{Keys: jwt.Keys{"shop": {Algorithm: "HS256", Key: secret}}, Audience: "shop"}))
		sellers.Post("/items", s.sell, nano.Binds[newItem](), nano.Describe(openapi.Operation{
			Summary: "Sell an item", Responses: openapi.Responses{201: {Body: item{}}, 401: {}, 422: {}}, Security: []string{"token"},
		}))
		sellers.Put("/items/{id:int}/picture", s.upload, nano.WithLimits(nano.RouteLimits{Body: 8 << 20, Handler: time.Minute}))
	})
	return app
}

// handleError gives the shop's own errors their status.
func handleError(c nano.Ctx, err error) error {
	if errors.Is(err, errNoItem) {
		err = nano.NewProblem(404, err.Error())
	}
	return nano.DefaultErrorHandler(c, err)
}

func (s *shop) list(c nano.Ctx) error {
	asked, err := nano.Bind[listing](c)
	if err != nil {
		return err
	}
	return c.JSON(200, s.store.page(asked.Page, asked.Size))
}

// id reads the parameter that the route has found to be a number.
func id(c nano.Ctx) int64 {
	n, _ := strconv.ParseInt(c.Param("id").String(), 10, 64)
	return n
}

func (s *shop) show(c nano.Ctx) error {
	found, err := s.store.get(id(c))
	if err != nil {
		return err
	}
	return c.JSON(200, found)
}

func (s *shop) sell(c nano.Ctx) error {
	wanted, err := nano.Bind[newItem](c)
	if err != nil {
		return err
	}
	kept := s.store.add(item{Name: wanted.Name, Cents: wanted.Cents, Owner: jwt.Subject(c)})
	at, err := c.App().URL("item", "id", strconv.FormatInt(kept.ID, 10))
	if err != nil {
		return err
	}
	c.SetHeader("Location", at)
	return c.JSON(201, kept)
}

// pictureName is where an item's picture lies.
func pictureName(id int64) string { return fmt.Sprintf("%d.picture", id) }

// upload keeps the file of the form field "picture", of the item's owner.
func (s *shop) upload(c nano.Ctx) error {
	found, err := s.store.get(id(c))
	if err != nil {
		return err
	}
	if found.Owner != jwt.Subject(c) {
		return nano.NewProblem(403, "the item is somebody else's")
	}
	form, err := c.Form()
	if err != nil {
		return err
	}
	picture := form.File("picture")
	if picture == nil {
		return nano.NewProblem(400, "the form has no file named picture")
	}
	if err := picture.Save(s.pictures, pictureName(found.ID)); err != nil {
		return err
	}
	return c.NoContent(204)
}

func (s *shop) picture(c nano.Ctx) error {
	// What a stranger has uploaded is nothing that a browser may run here.
	c.SetHeader("Content-Type", "application/octet-stream")
	return c.Attachment("picture").FileFS(s.pictures.FS(), pictureName(id(c)))
}

// events sends what is sold from now on, as server-sent events.
func (s *shop) events(c nano.Ctx) error {
	items, stop := s.store.listen()
	defer stop()
	return c.SSE(func(e *nano.Events) error {
		e.Heartbeat(15 * time.Second)
		if err := e.Comment("what is sold from now on"); err != nil {
			return err
		}
		for {
			select {
			case <-c.Done():
				return nil
			case <-c.Draining():
				return nil // the client comes back, to the next process
			case i := <-items:
				data, err := json.Marshal(i)
				if err != nil {
					return err
				}
				if err := e.Send(nano.Event{ID: strconv.FormatInt(i.ID, 10), Name: "item", Data: string(data)}); err != nil {
					return err
				}
			}
		}
	})
}

// live sends the same over a WebSocket.
func (s *shop) live(ctx context.Context, conn *websocket.Conn) error {
	items, stop := s.store.listen()
	defer stop()
	ctx = conn.CloseRead(ctx) // clients only listen
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case i := <-items:
			if err := wsjson.Write(ctx, conn, i); err != nil {
				return err
			}
		}
	}
}
