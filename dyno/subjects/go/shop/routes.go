package main

import (
	"errors"
	"strconv"
	"time"

	"dyno.example/nano"

	"shopkit"
)

// server has the handlers.
type server struct{ *shopkit.Shop }

// routes needs no recovery and no time-outs of connections: nano has them.
func routes(shop *shopkit.Shop) *nano.App {
	s := server{shop}
	app := nano.New(nano.Config{StrictJSON: true, ErrorHandler: handleError})
	app.Get("/ready", s.ready)
	app.Route("", func(g *nano.Group) {
		g.Default(nano.WithLimits(nano.RouteLimits{Body: 4 << 10, Handler: 5 * time.Second}))
		g.Get("/products", s.list)
		g.Get("/products/{id:int}", s.product)
		g.Get("/search", s.search)
		g.Post("/baskets/{customer:int}/lines", s.add)
		g.Post("/baskets/{customer:int}/checkout", s.checkout)
		g.Get("/orders/{id:int}", s.order)
	})
	return app
}

// handleError gives the shop's own errors their status.
func handleError(_ nano.Ctx, err error) error {
	switch {
	case errors.Is(err, shopkit.ErrNotFound):
		return nano.NewProblem(404, err.Error())
	case errors.Is(err, shopkit.ErrEmptyBasket), errors.Is(err, shopkit.ErrSoldOut):
		return nano.NewProblem(409, err.Error())
	}
	return err
}

func (s server) ready(c nano.Ctx) error {
	if err := s.Ready(c); err != nil {
		return nano.NewProblem(503, "not ready").Because(err)
	}
	return c.Text(200, "ready")
}

type page struct {
	Category int   `query:"category"`
	After    int64 `query:"after"`
}

func (s server) list(c nano.Ctx) error {
	p, err := nano.Bind[page](c)
	if err != nil {
		return err
	}
	return s.find(c, shopkit.Query{InCategory: true, Category: p.Category, After: p.After})
}

func (s server) product(c nano.Ctx) error {
	return s.find(c, shopkit.Query{Product: number(c, "id")})
}

func (s server) search(c nano.Ctx) error {
	words := c.Query("q").String()
	if words == "" || len(words) > 100 {
		return nano.NewProblem(422, "q: must have 1 to 100 bytes")
	}
	return s.find(c, shopkit.Query{Words: words})
}

// find sends what the catalogue has, which is JSON already.
func (s server) find(c nano.Ctx, q shopkit.Query) error {
	found, err := s.Catalogue.Find(c, q)
	if err != nil {
		return err
	}
	return c.Bytes(200, "application/json", found)
}

func (s server) add(c nano.Ctx) error {
	line, err := nano.Bind[shopkit.Line](c)
	if err != nil {
		return err
	}
	if err := line.Check(); err != nil {
		return nano.NewProblem(422, err.Error())
	}
	if err := s.AddToBasket(c, number(c, "customer"), line); err != nil {
		return err
	}
	return c.NoContent(204)
}

func (s server) checkout(c nano.Ctx) error {
	bought, err := nano.Bind[shopkit.Purchase](c)
	if err != nil {
		return err
	}
	if err := bought.Check(); err != nil {
		return nano.NewProblem(422, err.Error())
	}
	order, err := s.Checkout(c, number(c, "customer"), bought)
	if err != nil {
		return err
	}
	c.SetHeader("Location", "/orders/"+strconv.FormatInt(order.ID, 10))
	return c.JSON(201, order)
}

func (s server) order(c nano.Ctx) error {
	order, err := s.Orders.Order(c, number(c, "id"))
	if err != nil {
		return err
	}
	return c.JSON(200, order)
}

// number reads a parameter that the route has found to be a number; one that is too large
// for an int64 is nobody's.
func number(c nano.Ctx, name string) int64 {
	n, _ := strconv.ParseInt(c.Param(name).String(), 10, 64)
	return n
}
