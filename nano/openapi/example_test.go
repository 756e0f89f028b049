package openapi_test

import (
	"encoding/json"
	"fmt"

	"dyno.example/nano"
	"dyno.example/nano/openapi"
)

type Note struct {
	Text string `json:"text" validate:"required,max=280"`
}

func Example() {
	app := nano.New(nano.Config{})
	app.Post("/notes", func(c nano.Ctx) error { return c.NoContent(204) }, nano.Describe(openapi.Operation{
		Summary: "Keep a note", Body: Note{}, Responses: openapi.Responses{204: {}},
	}))
	// app.Get("/openapi.json", openapi.Handler(...)) serves the same.
	document, err := openapi.New(app, openapi.Config{Title: "Notes", Version: "1.0.0"})
	if err != nil {
		panic(err)
	}
	note, _ := json.MarshalIndent(document.Components.Schemas["Note"], "", "  ")
	fmt.Println(document.Paths["/notes"]["post"].Summary)
	fmt.Println(string(note))
	// Output:
	// Keep a note
	// {
	//   "type": "object",
	//   "properties": {
	//     "text": {
	//       "type": "string",
	//       "maxLength": 280
	//     }
	//   },
	//   "required": [
	//     "text"
	//   ]
	// }
}
