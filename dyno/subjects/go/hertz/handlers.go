package main

import (
	"context"
	"time"

	"github.com/cloudwego/hertz/pkg/app"
	"github.com/cloudwego/hertz/pkg/app/server"
	"github.com/cloudwego/hertz/pkg/protocol/consts"
)

// maxBody is what POST /api/users accepts, in bytes.
const maxBody = 1 << 20

type message struct {
	Message string `json:"message"`
}

type failure struct {
	Error string `json:"error"`
}

type profile struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

// newUser carries its rules in vd tags, which Hertz understands by itself.
type newUser struct {
	Name    string   `json:"name" vd:"mblen($)>=1 && mblen($)<=100; msg:'name: must have 1 to 100 characters'"`
	Email   string   `json:"email" vd:"regexp('@'); msg:'email: must contain @'"`
	Age     int      `json:"age" vd:"$>=0 && $<=150; msg:'age: must be 0 to 150'"`
	Tags    []string `json:"tags" vd:"len($)<=10; msg:'tags: at most 10'"`
	Address address  `json:"address"`
	Bio     string   `json:"bio"`
}

type address struct {
	Street string `json:"street"`
	City   string `json:"city"`
	Zip    string `json:"zip"`
}

// routes returns the server, because Hertz takes its address when it is made.
// Its own read and idle timeouts, 3 minutes each, are kept.
func routes(addr string) *server.Hertz {
	// Default is New with the recovery middleware.
	h := server.Default(
		server.WithHostPorts(addr),
		server.WithMaxRequestBodySize(maxBody),
		server.WithDisablePrintRoute(true),
		// A stop waits this long for connections that are merely idle.
		server.WithExitWaitTime(2*time.Second),
	)
	h.GET("/plaintext", plaintext)
	h.GET("/json", greeting)
	h.GET("/users/:id/profile", userProfile)
	h.POST("/api/users", createUser)
	return h
}

func plaintext(_ context.Context, c *app.RequestContext) {
	c.String(consts.StatusOK, "Hello, World!")
}

func greeting(_ context.Context, c *app.RequestContext) {
	c.JSON(consts.StatusOK, message{"Hello, World!"})
}

func userProfile(_ context.Context, c *app.RequestContext) {
	id := c.Param("id")
	c.JSON(consts.StatusOK, profile{ID: id, Name: "User " + id, Email: "user" + id + "@example.com"})
}

func createUser(_ context.Context, c *app.RequestContext) {
	var in newUser
	if err := c.Bind(&in); err != nil {
		c.JSON(consts.StatusBadRequest, failure{"body: " + err.Error()})
		return
	}
	if err := c.Validate(&in); err != nil {
		c.JSON(consts.StatusBadRequest, failure{err.Error()})
		return
	}
	c.Header("Location", "/users/1/profile")
	c.JSON(consts.StatusCreated, profile{ID: "1", Name: in.Name, Email: in.Email})
}
