package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"dyno.example/nano"
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

// routes needs no recovery and no time-outs of its own: nano has them.
func routes(s settings) *nano.App {
	app := nano.New(nano.Config{H2C: true, Limits: nano.Limits{Body: maxBody}})
	for range s.middlewares {
		app.Use(idle)
	}
	if s.garbage > 0 {
		app.Use(litter(s.garbage))
	}
	app.Get("/plaintext", plaintext)
	app.Get("/json", greeting)
	app.Get("/users/{id}/profile", userProfile)
	app.Post("/api/users", createUser)
	app.Timing(s.timing)
	return app
}

func plaintext(c nano.Ctx) error { return c.Text(200, "Hello, World!") }

func greeting(c nano.Ctx) error { return c.JSON(200, message{"Hello, World!"}) }

func userProfile(c nano.Ctx) error {
	id := c.Param("id").String()
	return c.JSON(200, profile{ID: id, Name: "User " + id, Email: "user" + id + "@example.com"})
}

func createUser(c nano.Ctx) error {
	body, err := c.Body()
	if err != nil {
		return err
	}
	var in newUser
	if err := json.Unmarshal(body, &in); err != nil {
		return c.JSON(400, failure{"body: " + err.Error()})
	}
	if err := in.check(); err != nil {
		return c.JSON(400, failure{err.Error()})
	}
	c.SetHeader("Location", "/users/1/profile")
	return c.JSON(201, profile{ID: "1", Name: in.Name, Email: in.Email})
}
