package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
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

func routes() http.Handler {
	r := chi.NewRouter()
	// Of the base stack in chi's README only Recoverer: RequestID, RealIP and
	// Logger serve request logs, which no subject writes.
	r.Use(middleware.Recoverer)
	r.Get("/plaintext", plaintext)
	r.Get("/json", greeting)
	r.Get("/users/{id}/profile", userProfile)
	r.Post("/api/users", createUser)
	return r
}

func plaintext(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "Hello, World!")
}

func greeting(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, message{"Hello, World!"})
}

func userProfile(w http.ResponseWriter, r *http.Request) {
	id := chi.URLParam(r, "id")
	writeJSON(w, http.StatusOK, profile{ID: id, Name: "User " + id, Email: "user" + id + "@example.com"})
}

func createUser(w http.ResponseWriter, r *http.Request) {
	var in newUser
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&in); err != nil {
		writeJSON(w, http.StatusBadRequest, failure{"body: " + err.Error()})
		return
	}
	if err := in.check(); err != nil {
		writeJSON(w, http.StatusBadRequest, failure{err.Error()})
		return
	}
	w.Header().Set("Location", "/users/1/profile")
	writeJSON(w, http.StatusCreated, profile{ID: "1", Name: in.Name, Email: in.Email})
}

// writeJSON has nobody to report a failed write to: the client is gone.
func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
