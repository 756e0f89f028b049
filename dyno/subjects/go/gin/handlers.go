package main

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/gin-gonic/gin/binding"
	"github.com/go-playground/validator/v10"
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
	Name    string   `json:"name" binding:"required,max=100"`
	Email   string   `json:"email" binding:"contains=@"`
	Age     int      `json:"age" binding:"gte=0,lte=150"`
	Tags    []string `json:"tags" binding:"max=10"`
	Address address  `json:"address"`
	Bio     string   `json:"bio"`
}

type address struct {
	Street string `json:"street"`
	City   string `json:"city"`
	Zip    string `json:"zip"`
}

func routes(middlewares int) http.Handler {
	nameFieldsAsInJSON()
	r := gin.New()
	// gin.Default without its Logger: no subject writes request logs.
	r.Use(gin.Recovery())
	for range middlewares {
		r.Use(idle)
	}
	r.GET("/plaintext", plaintext)
	r.GET("/json", greeting)
	r.GET("/users/:id/profile", userProfile)
	r.POST("/api/users", createUser)
	return r
}

// idle is a middleware that does nothing, so that what it costs is being one.
func idle(c *gin.Context) { c.Next() }

// nameFieldsAsInJSON makes validation errors say "age", as the client wrote it,
// instead of "Age".
func nameFieldsAsInJSON() {
	if v, ok := binding.Validator.Engine().(*validator.Validate); ok {
		v.RegisterTagNameFunc(func(f reflect.StructField) string { return f.Tag.Get("json") })
	}
}

func plaintext(c *gin.Context) {
	c.String(http.StatusOK, "Hello, World!")
}

func greeting(c *gin.Context) {
	c.JSON(http.StatusOK, message{"Hello, World!"})
}

func userProfile(c *gin.Context) {
	id := c.Param("id")
	c.JSON(http.StatusOK, profile{ID: id, Name: "User " + id, Email: "user" + id + "@example.com"})
}

func createUser(c *gin.Context) {
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxBody)
	var in newUser
	if err := c.ShouldBindJSON(&in); err != nil {
		c.JSON(http.StatusBadRequest, failure{reason(err)})
		return
	}
	c.Header("Location", "/users/1/profile")
	c.JSON(http.StatusCreated, profile{ID: "1", Name: in.Name, Email: in.Email})
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
