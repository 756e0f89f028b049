// Package openapi describes an app's routes as an OpenAPI 3.1 document.
//
//	app.Post("/users", create, nano.Describe(openapi.Operation{
//		Summary: "Create a user",
//		Body:    User{},
//		Responses: openapi.Responses{201: {Description: "The user as created", Body: User{}}},
//	}))
//	app.Get("/openapi.json", openapi.Handler(openapi.Config{Title: "Users", Version: "1.0.0"}))
//
// Paths, methods and path parameters come from the routes; schemas from Go types
// as encoding/json writes them, with their validate tags. What a route doesn't
// say of itself stays out of the document.
package openapi
