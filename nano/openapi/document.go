package openapi

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dyno.example/nano"
	"dyno.example/nano/wire/http1"
)

// Config is what a document says about the service.
type Config struct {
	Title, Version string // required
	Description    string // may hold CommonMark
	Servers        []string
	// Host picks the routes: those of this host, as it was registered, and those of
	// all hosts. OpenAPI has no place for hosts within a document.
	Host string
	// Security are the schemes that operations name, such as
	// {"bearer": {Type: "http", Scheme: "bearer"}}.
	Security map[string]SecurityScheme
	// Errors is what the responses look like that operations don't list; the default
	// is nano's own, a problem (RFC 9457).
	Errors *Response
}

// SecurityScheme is how clients authenticate (OpenAPI 3.1, 4.8.27).
type SecurityScheme struct {
	Type             string `json:"type"` // apiKey, http, mutualTLS, openIdConnect
	Description      string `json:"description,omitempty"`
	Name             string `json:"name,omitempty"`   // of an apiKey's field, parameter or cookie
	In               In     `json:"in,omitempty"`     // of an apiKey
	Scheme           string `json:"scheme,omitempty"` // of http: basic, bearer
	BearerFormat     string `json:"bearerFormat,omitempty"`
	OpenIDConnectURL string `json:"openIdConnectUrl,omitempty"`
}

// Document is an OpenAPI 3.1 document; encoding/json writes it.
type Document struct {
	OpenAPI    string              `json:"openapi"`
	Info       info                `json:"info"`
	Servers    []server            `json:"servers,omitempty"`
	Paths      map[string]pathItem `json:"paths"`
	Components components          `json:"components,omitzero"`
}

type info struct {
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Version     string `json:"version"`
}

type server struct {
	URL string `json:"url"`
}

// pathItem is the operations of a path, by method in lower case.
type pathItem map[string]*operation

type operation struct {
	ID          string                `json:"operationId,omitempty"`
	Summary     string                `json:"summary,omitempty"`
	Description string                `json:"description,omitempty"`
	Tags        []string              `json:"tags,omitempty"`
	Parameters  []parameter           `json:"parameters,omitempty"`
	Body        *requestBody          `json:"requestBody,omitempty"`
	Responses   map[string]response   `json:"responses"`
	Deprecated  bool                  `json:"deprecated,omitempty"`
	Security    []map[string][]string `json:"security,omitempty"`
}

type parameter struct {
	Name        string  `json:"name"`
	In          In      `json:"in"`
	Description string  `json:"description,omitempty"`
	Required    bool    `json:"required,omitempty"`
	Schema      *Schema `json:"schema"`
}

type requestBody struct {
	Content  map[string]mediaType `json:"content"`
	Required bool                 `json:"required"`
}

type response struct {
	Description string               `json:"description"`
	Content     map[string]mediaType `json:"content,omitempty"`
}

type mediaType struct {
	Schema *Schema `json:"schema"`
}

type components struct {
	Schemas  map[string]*Schema        `json:"schemas,omitempty"`
	Security map[string]SecurityScheme `json:"securitySchemes,omitempty"`
}

// New describes the routes that an app has now. Left out are routes that are
// hidden; routes for all methods and subtrees without a name for what is below,
// unless an [Operation] describes them; and methods that OpenAPI 3.1 has no
// place for, such as QUERY.
//
// It fails, naming the route, for types that JSON has no form for, for two routes that
// OpenAPI can't distinguish, and for names that aren't defined.
func New(app *nano.App, config Config) (*Document, error) {
	if config.Title == "" || config.Version == "" {
		return nil, fmt.Errorf("openapi: a document needs a title and a version")
	}
	d := &Document{OpenAPI: "3.1.0", Paths: map[string]pathItem{}}
	d.Info = info{Title: config.Title, Version: config.Version, Description: config.Description}
	for _, u := range config.Servers {
		d.Servers = append(d.Servers, server{u})
	}
	b := newBuilder(config, d)
	for _, r := range routesOf(app, config.Host) {
		if err := b.add(r); err != nil {
			return nil, fmt.Errorf("openapi: route %s (registered at %s): %w", r, r.Where(), err)
		}
	}
	d.Components = components{Schemas: b.schemas.named, Security: config.Security}
	return d, nil
}

// routesOf returns the routes of a host, then those of all hosts, which have to
// give way to them.
func routesOf(app *nano.App, host string) (routes []*nano.Route) {
	for _, h := range slices.Compact([]string{host, ""}) {
		for _, r := range app.Routes() {
			if r.Host() == h {
				routes = append(routes, r)
			}
		}
	}
	return routes
}

// Handler responds with the document of the app it is registered on, made at the first
// request.
func Handler(config Config) nano.Handler {
	var once sync.Once
	var document *Document
	err := errors.New("openapi: making the document panicked at the first request for it")
	return func(c nano.Ctx) error {
		once.Do(func() { document, err = New(c.App(), config) })
		if err != nil {
			return err
		}
		return c.JSON(200, document)
	}
}

// statusText returns what a status is called, for responses that don't say.
func statusText(status int) string {
	if text := http1.Reason(status); text != "" {
		return text
	}
	return "Status " + strconv.Itoa(status)
}

// methodsOf returns the keys of a path item that a route fills.
func methodsOf(r *nano.Route, described bool) []string {
	switch r.Method() {
	case "GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE":
		return []string{strings.ToLower(r.Method())}
	case "":
		if described {
			return []string{"get", "put", "post", "delete", "patch"}
		}
	}
	return nil
}
