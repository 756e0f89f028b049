package archive

import (
	"encoding/json"
	"fmt"
)

// checkSchema reads nothing but the version, so that a newer run is refused as
// such and not for its first unknown field.
func checkSchema(content []byte, path string) error {
	var document struct {
		Schema *int `json:"schema"`
	}
	if json.Unmarshal(content, &document) != nil {
		return nil // the strict reader says where and why
	}
	switch {
	case document.Schema == nil:
		return &Damage{File: path, Err: fmt.Errorf("has no schema")}
	case *document.Schema > Schema:
		return &Damage{File: path, Err: fmt.Errorf("schema %d is newer than %d, the newest this dyno reads: use a newer dyno", *document.Schema, Schema)}
	case *document.Schema < Schema:
		return &Damage{File: path, Err: fmt.Errorf("unknown schema %d; this dyno reads %d", *document.Schema, Schema)}
	}
	return nil
}

// ParseManifest reads a manifest; path is what its errors, which are [*Damage],
// call it.
func ParseManifest(content []byte, path string) (Manifest, error) {
	var m Manifest
	if err := checkSchema(content, path); err != nil {
		return Manifest{}, err
	}
	if err := parseDocument(content, path, &m); err != nil {
		return Manifest{}, err
	}
	m.Error = messageOf(m.Error, m.ErrorMessage)
	return m, nil
}
