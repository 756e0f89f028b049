// Package studies holds the studies that ship with dyno, the catalogue of published
// claims that they decide, and the JSON Schema of study files. It is data: dyno/study
// reads it.
package studies

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// catalogueFile lists claims and is no study.
const catalogueFile = "claims.yaml"

//go:embed study.schema.json
var schema []byte

// Names returns the names of the built-in studies, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the program
	}
	var names []string
	for _, e := range entries {
		if e.Name() != catalogueFile {
			names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
		}
	}
	slices.Sort(names) // files are in the order of names with their ends
	return names
}

// Read returns the source of a built-in study.
func Read(name string) ([]byte, error) {
	src, err := files.ReadFile(name + ".yaml")
	if err != nil || name+".yaml" == catalogueFile {
		return nil, fmt.Errorf("there is no built-in study %q", name)
	}
	return src, nil
}

// Schema returns the JSON Schema of study files. It is the caller's.
func Schema() []byte { return slices.Clone(schema) }
