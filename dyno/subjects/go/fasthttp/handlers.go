package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"
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

type newUser struct {
	Name    string   `json:"name"`
	Email   string   `json:"email"`
	Age     int      `json:"age"`
	Tags    []string `json:"tags"`
	Address address  `json:"address"`
	Bio     string   `json:"bio"`
}

type address struct {
	Street string `json:"street"`
	City   string `json:"city"`
	Zip    string `json:"zip"`
}

// check returns the first rule that u breaks, by field.
func (u *newUser) check() error {
	switch n := utf8.RuneCountInString(u.Name); {
	case n < 1 || n > 100:
		return fmt.Errorf("name: must have 1 to 100 characters, has %d", n)
	case !strings.Contains(u.Email, "@"):
		return errors.New("email: must contain @")
	case u.Age < 0 || u.Age > 150:
		return fmt.Errorf("age: must be 0 to 150, is %d", u.Age)
	case len(u.Tags) > 10:
		return fmt.Errorf("tags: at most 10, got %d", len(u.Tags))
	}
	return nil
}

func routes(standardHeaders bool) fasthttp.RequestHandler {
	r := router.New()
	// fasthttp lets a panic end the process; services install this.
	r.PanicHandler = func(ctx *fasthttp.RequestCtx, _ any) {
		ctx.Error("Internal Server Error", fasthttp.StatusInternalServerError)
	}
	r.GET("/plaintext", plaintext)
	r.GET("/json", greeting)
	r.GET("/users/{id}/profile", userProfile)
	r.POST("/api/users", createUser)
	if standardHeaders {
		return withHeaders(r.Handler)
	}
	return r.Handler
}

// withHeaders gives every request what net/http gives its handlers: all header
// fields, with canonical names, in a map. fasthttp parses them only when asked.
func withHeaders(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		header := make(http.Header, ctx.Request.Header.Len())
		for name, value := range ctx.Request.Header.All() {
			header.Add(string(name), string(value))
		}
		ctx.SetUserValue("header", header)
		next(ctx)
	}
}

func plaintext(ctx *fasthttp.RequestCtx) {
	ctx.SetContentType("text/plain; charset=utf-8")
	ctx.SetBodyString("Hello, World!")
}

func greeting(ctx *fasthttp.RequestCtx) {
	writeJSON(ctx, fasthttp.StatusOK, message{"Hello, World!"})
}

func userProfile(ctx *fasthttp.RequestCtx) {
	id, _ := ctx.UserValue("id").(string)
	writeJSON(ctx, fasthttp.StatusOK, profile{ID: id, Name: "User " + id, Email: "user" + id + "@example.com"})
}

func createUser(ctx *fasthttp.RequestCtx) {
	var in newUser
	if err := json.Unmarshal(ctx.PostBody(), &in); err != nil {
		writeJSON(ctx, fasthttp.StatusBadRequest, failure{"body: " + err.Error()})
		return
	}
	if err := in.check(); err != nil {
		writeJSON(ctx, fasthttp.StatusBadRequest, failure{err.Error()})
		return
	}
	ctx.Response.Header.Set(fasthttp.HeaderLocation, "/users/1/profile")
	writeJSON(ctx, fasthttp.StatusCreated, profile{ID: "1", Name: in.Name, Email: in.Email})
}

// writeJSON encodes straight into the response's buffer, which can't fail for
// the types it is given.
func writeJSON(ctx *fasthttp.RequestCtx, status int, body any) {
	ctx.SetContentType("application/json")
	ctx.SetStatusCode(status)
	_ = json.NewEncoder(ctx).Encode(body)
}
