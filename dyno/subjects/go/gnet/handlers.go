package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

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

// handler handles one request. The id is empty except for a profile.
type handler func(a *response, req *request, id []byte)

// serve routes by hand: for four routes, a switch is what an engine's users
// write.
func serve(a *response, req *request) {
	path, _, _ := bytes.Cut(req.target, []byte("?"))
	method, handle, id := route(path)
	switch {
	case handle == nil:
		a.sendJSON(http.StatusNotFound, failure{"path: not found"})
	case req.method == method, a.head && method == http.MethodGet:
		handle(a, req, id)
	default:
		a.sendJSON(http.StatusMethodNotAllowed, failure{"method: use " + method}, field{"Allow", method})
	}
}

func route(path []byte) (method string, handle handler, id []byte) {
	switch string(path) {
	case "/plaintext":
		return http.MethodGet, plaintext, nil
	case "/json":
		return http.MethodGet, greeting, nil
	case "/api/users":
		return http.MethodPost, createUser, nil
	}
	if id, ok := userID(path); ok {
		return http.MethodGet, userProfile, id
	}
	return "", nil, nil
}

// userID returns the ID in /users/ID/profile.
func userID(path []byte) (id []byte, ok bool) {
	id, ok = bytes.CutPrefix(path, []byte("/users/"))
	if !ok {
		return nil, false
	}
	id, ok = bytes.CutSuffix(id, []byte("/profile"))
	return id, ok && len(id) > 0 && bytes.IndexByte(id, '/') < 0
}

func plaintext(a *response, _ *request, _ []byte) {
	a.send(http.StatusOK, "text/plain; charset=utf-8", []byte("Hello, World!"))
}

func greeting(a *response, _ *request, _ []byte) {
	a.sendJSON(http.StatusOK, message{"Hello, World!"})
}

func userProfile(a *response, _ *request, escaped []byte) {
	id, err := url.PathUnescape(string(escaped))
	if err != nil {
		a.sendJSON(http.StatusBadRequest, failure{"id: " + err.Error()})
		return
	}
	a.sendJSON(http.StatusOK, profile{ID: id, Name: "User " + id, Email: "user" + id + "@example.com"})
}

func createUser(a *response, req *request, _ []byte) {
	var in newUser
	if err := json.Unmarshal(req.body, &in); err != nil {
		a.sendJSON(http.StatusBadRequest, failure{"body: " + err.Error()})
		return
	}
	if err := in.check(); err != nil {
		a.sendJSON(http.StatusBadRequest, failure{err.Error()})
		return
	}
	created := profile{ID: "1", Name: in.Name, Email: in.Email}
	a.sendJSON(http.StatusCreated, created, field{"Location", "/users/1/profile"})
}
