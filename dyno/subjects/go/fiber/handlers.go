package main

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/go-playground/validator/v10"
	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/recover"
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
	Name    string   `json:"name" validate:"required,max=100"`
	Email   string   `json:"email" validate:"contains=@"`
	Age     int      `json:"age" validate:"gte=0,lte=150"`
	Tags    []string `json:"tags" validate:"max=10"`
	Address address  `json:"address"`
	Bio     string   `json:"bio"`
}

type address struct {
	Street string `json:"street"`
	City   string `json:"city"`
	Zip    string `json:"zip"`
}

func routes(s settings) *fiber.App {
	app := fiber.New(fiber.Config{
		StructValidator: newStructValidator(),
		BodyLimit:       maxBody,
		// Fiber waits for ever unless told otherwise.
		ReadTimeout: 10 * time.Second,
		IdleTimeout: s.idle,
	})
	app.Use(recover.New())
	for range s.middlewares {
		app.Use(waiting(s.wait))
	}
	app.Get("/plaintext", plaintext)
	app.Get("/json", greeting)
	app.Get("/users/:id/profile", userProfile)
	app.Post("/api/users", createUser)
	return app
}

// waiting is a middleware that waits, as for a response of another service; with
// no wait it does nothing, so that what it costs is being one.
func waiting(wait time.Duration) fiber.Handler {
	if wait == 0 {
		return func(c fiber.Ctx) error { return c.Next() }
	}
	return func(c fiber.Ctx) error {
		time.Sleep(wait)
		return c.Next()
	}
}

// structValidator is the validator that Fiber's guide recommends; Fiber has
// none of its own.
type structValidator struct{ rules *validator.Validate }

func newStructValidator() structValidator {
	v := validator.New(validator.WithRequiredStructEnabled())
	// Errors say "age", as the client wrote it, instead of "Age".
	v.RegisterTagNameFunc(func(f reflect.StructField) string { return f.Tag.Get("json") })
	return structValidator{v}
}

func (v structValidator) Validate(in any) error { return v.rules.Struct(in) }

func plaintext(c fiber.Ctx) error {
	return c.SendString("Hello, World!")
}

func greeting(c fiber.Ctx) error {
	return c.JSON(message{"Hello, World!"})
}

func userProfile(c fiber.Ctx) error {
	id := c.Params("id")
	return c.JSON(profile{ID: id, Name: "User " + id, Email: "user" + id + "@example.com"})
}

func createUser(c fiber.Ctx) error {
	var in newUser
	// Body also validates, since the app has a StructValidator.
	if err := c.Bind().Body(&in); err != nil {
		return c.Status(fiber.StatusBadRequest).JSON(failure{reason(err)})
	}
	c.Location("/users/1/profile")
	return c.Status(fiber.StatusCreated).JSON(profile{ID: "1", Name: in.Name, Email: in.Email})
}

// reason names the first field that broke a rule, or says what is wrong with
// the body as a whole.
func reason(err error) string {
	var broken validator.ValidationErrors
	if errors.As(err, &broken) {
		rule := strings.TrimSpace(broken[0].Tag() + " " + broken[0].Param())
		return fmt.Sprintf("%s: must satisfy %s", broken[0].Field(), rule)
	}
	return "body: " + err.Error()
}
