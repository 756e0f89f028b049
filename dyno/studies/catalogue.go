package studies

import (
	"bytes"
	_ "embed"
	"fmt"

	"go.yaml.in/yaml/v3"
)

//go:embed claims.yaml
var claims []byte

// Claim is a figure that somebody published, as the catalogue restates it.
type Claim struct {
	ID         string `yaml:"id"`
	Source     string `yaml:"source"` // key of [Catalogue.Sources]
	Asks       string `yaml:"asks"`   // the question a study answers
	Published  string `yaml:"published"`
	Conditions string `yaml:"conditions"` // may be empty
	Departs    string `yaml:"departs"`    // where the study asks for something else than the article; may be empty
	Substitute string `yaml:"substitute"` // what was measured in the place of the article's own program; empty if that was
	Note       string `yaml:"note"`       // for readers of the verdict, in Markdown; may be empty
}

// Catalogue is every claim there is, in the order of its sources.
type Catalogue struct {
	Sources map[string]string `yaml:"sources"` // key → title
	Claims  []Claim           `yaml:"claims"`
}

// Claims returns the catalogue of published claims, dyno/studies/claims.yaml. It is the
// caller's.
func Claims() Catalogue {
	var c Catalogue
	d := yaml.NewDecoder(bytes.NewReader(claims))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil {
		panic(fmt.Sprintf("dyno/studies/claims.yaml: %v", err)) // the file is part of the program
	}
	return c
}
