package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/go-playground/validator/v10"
	"github.com/labstack/echo/v5"
	"github.com/labstack/echo/v5/middleware"
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

func routes() *echo.Echo {
	e := echo.New()
	e.Validator = newStructValidator()
	e.Use(middleware.Recover())
	e.GET("/plaintext", plaintext)
	e.GET("/json", greeting)
	e.GET("/users/:id/profile", userProfile)
	// Echo reads a whole body before it decodes JSON, and asks for this limit.
	e.POST("/api/users", createUser, middleware.BodyLimit(maxBody))
	return e
}

// structValidator is the validator that Echo's guide recommends; Echo has none
// of its own.
type structValidator struct{ rules *validator.Validate }

func newStructValidator() structValidator {
	v := validator.New(validator.WithRequiredStructEnabled())
	// Errors say "age", as the client wrote it, instead of "Age".
	v.RegisterTagNameFunc(func(f reflect.StructField) string { return f.Tag.Get("json") })
	return structValidator{v}
}

func (v structValidator) Validate(in any) error { return v.rules.Struct(in) }

func plaintext(c *echo.Context) error {
	return c.String(http.StatusOK, "Hello, World!")
}

func greeting(c *echo.Context) error {
	return c.JSON(http.StatusOK, message{"Hello, World!"})
}

func userProfile(c *echo.Context) error {
	id := c.Param("id")
	return c.JSON(http.StatusOK, profile{ID: id, Name: "User " + id, Email: "user" + id + "@example.com"})
}

func createUser(c *echo.Context) error {
	var in newUser
	if err := c.Bind(&in); err != nil {
		// Echo wraps the decoder's error in its own; the client gets the cause.
		return c.JSON(http.StatusBadRequest, failure{fmt.Sprint("body: ", cmp.Or(errors.Unwrap(err), err))})
	}
	if err := c.Validate(&in); err != nil {
		return c.JSON(http.StatusBadRequest, failure{reason(err)})
	}
	c.Response().Header().Set(echo.HeaderLocation, "/users/1/profile")
	return c.JSON(http.StatusCreated, profile{ID: "1", Name: in.Name, Email: in.Email})
}

// reason names the first field that broke a rule.
func reason(err error) string {
	var broken validator.ValidationErrors
	if errors.As(err, &broken) {
		rule := strings.TrimSpace(broken[0].Tag() + " " + broken[0].Param())
		return fmt.Sprintf("%s: must satisfy %s", broken[0].Field(), rule)
	}
	return err.Error()
}
