// Packer writes subjects.zip, the subjects' sources as package subjects embeds
// them. "go generate ./subjects" runs it in the folder of the subjects.
package main

import (
	"fmt"
	"os"

	"dyno.example/dyno/subjects/internal/pack"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "packer:", err)
		os.Exit(1)
	}
}

func run() error {
	packed, err := pack.Pack(os.DirFS("."))
	if err != nil {
		return err
	}
	return os.WriteFile("subjects.zip", packed, 0o644)
}
