// Package yaml reads and writes YAML, with go.yaml.in/yaml/v3.
//
//	app := nano.New(nano.Config{Decoders: map[string]nano.Decoder{"application/yaml": yaml.Decode}})
package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"dyno.example/nano"
)

// MediaType is that of RFC 9512.
const MediaType = "application/yaml"

// Decode is the [nano.Decoder] of YAML: one document, whose fields the type must have if
// it is a struct. Aliases are bounded by the library, so a small text can't grow without
// end.
func Decode(body []byte, into any) error {
	d := yaml.NewDecoder(bytes.NewReader(body))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		if errors.Is(err, io.EOF) {
			return errors.New("there is no document")
		}
		return err
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return errors.New("there is more than one document")
	}
	return nil
}

// Response responds with v as YAML.
func Response(c nano.Ctx, status int, v any) error {
	text, err := yaml.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding the response: %w", err)
	}
	return c.Bytes(status, MediaType, text)
}
