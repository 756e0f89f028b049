package main

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"shopkit"
)

// server has the handlers.
type server struct{ *shopkit.Shop }

func routes(shop *shopkit.Shop) http.Handler {
	s := server{shop}
	r := gin.New()
	// gin.Default without its Logger: no subject writes request logs.
	r.Use(gin.Recovery())
	r.GET("/ready", s.ready)
	g := r.Group("", limits)
	g.GET("/products", s.list)
	g.GET("/products/:id", s.product)
	g.GET("/search", s.search)
	g.POST("/baskets/:customer/lines", s.add)
	g.POST("/baskets/:customer/checkout", s.checkout)
	g.GET("/orders/:id", s.order)
	return r
}

// limits bounds bodies, and gives each request a deadline.
func limits(c *gin.Context) {
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, 4<<10)
	ctx, cancel := context.WithTimeout(c.Request.Context(), 5*time.Second)
	defer cancel()
	c.Request = c.Request.WithContext(ctx)
	c.Next()
}

// refuse sends an error as what it means.
func refuse(c *gin.Context, err error) {
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, shopkit.ErrNotFound):
		status = http.StatusNotFound
	case errors.Is(err, shopkit.ErrEmptyBasket), errors.Is(err, shopkit.ErrSoldOut):
		status = http.StatusConflict
	case errors.Is(err, context.DeadlineExceeded):
		status = http.StatusServiceUnavailable
	}
	if status >= 500 {
		_ = c.Error(err) // for a log; clients aren't told what is inside
		c.JSON(status, gin.H{"detail": http.StatusText(status)})
		return
	}
	c.JSON(status, gin.H{"detail": err.Error()})
}

func (s server) ready(c *gin.Context) {
	if err := s.Ready(c.Request.Context()); err != nil {
		_ = c.Error(err)
		c.String(http.StatusServiceUnavailable, "not ready")
		return
	}
	c.String(http.StatusOK, "ready")
}

type page struct {
	Category int   `form:"category"`
	After    int64 `form:"after"`
}

func (s server) list(c *gin.Context) {
	var p page
	if err := c.ShouldBindQuery(&p); err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"detail": err.Error()})
		return
	}
	s.find(c, shopkit.Query{InCategory: true, Category: p.Category, After: p.After})
}

func (s server) product(c *gin.Context) {
	if id, ok := number(c, "id"); ok {
		s.find(c, shopkit.Query{Product: id})
	}
}

func (s server) search(c *gin.Context) {
	words := c.Query("q")
	if words == "" || len(words) > 100 {
		c.JSON(http.StatusUnprocessableEntity, gin.H{"detail": "q: must have 1 to 100 bytes"})
		return
	}
	s.find(c, shopkit.Query{Words: words})
}

// find sends what the catalogue has, which is JSON already.
func (s server) find(c *gin.Context, q shopkit.Query) {
	found, err := s.Catalogue.Find(c.Request.Context(), q)
	if err != nil {
		refuse(c, err)
		return
	}
	c.Data(http.StatusOK, "application/json", found)
}

func (s server) add(c *gin.Context) {
	customer, ok := number(c, "customer")
	if !ok {
		return
	}
	var line shopkit.Line
	if !bind(c, &line) {
		return
	}
	if err := s.AddToBasket(c.Request.Context(), customer, line); err != nil {
		refuse(c, err)
		return
	}
	c.Status(http.StatusNoContent)
}

func (s server) checkout(c *gin.Context) {
	customer, ok := number(c, "customer")
	if !ok {
		return
	}
	var bought shopkit.Purchase
	if !bind(c, &bought) {
		return
	}
	order, err := s.Checkout(c.Request.Context(), customer, bought)
	if err != nil {
		refuse(c, err)
		return
	}
	c.Header("Location", "/orders/"+strconv.FormatInt(order.ID, 10))
	c.JSON(http.StatusCreated, order)
}

func (s server) order(c *gin.Context) {
	id, ok := number(c, "id")
	if !ok {
		return
	}
	order, err := s.Orders.Order(c.Request.Context(), id)
	if err != nil {
		refuse(c, err)
		return
	}
	c.JSON(http.StatusOK, order)
}

// bind reads and checks a body, or sends what is wrong with it.
func bind(c *gin.Context, into interface{ Check() error }) bool {
	if err := c.ShouldBindJSON(into); err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"detail": "body: " + err.Error()})
		return false
	}
	if err := into.Check(); err != nil {
		c.JSON(http.StatusUnprocessableEntity, gin.H{"detail": err.Error()})
		return false
	}
	return true
}

// number reads a parameter, or sends 404.
func number(c *gin.Context, name string) (int64, bool) {
	n, err := strconv.ParseInt(c.Param(name), 10, 64)
	if err != nil {
		c.JSON(http.StatusNotFound, gin.H{"detail": "there is no such page"})
	}
	return n, err == nil
}
