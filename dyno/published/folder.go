package published

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"

	"dyno.example/dyno/archive"
)

// What a published folder has for readers, compressed.
const (
	ManifestName = "manifest.json.gz" // study, subjects, machine, plan
	TrialsName   = "trials.csv.gz"    // one row per trial and metric
)

// ReadManifest reads the manifest of a published folder.
func ReadManifest(results fs.FS, folder string) (m archive.Manifest, err error) {
	err = readPacked(results, path.Join(folder, ManifestName), func(plain io.Reader) error {
		return json.NewDecoder(plain).Decode(&m)
	})
	return m, err
}

// readPacked has a file read that is compressed; errors name it.
func readPacked(results fs.FS, name string, read func(plain io.Reader) error) error {
	file, err := results.Open(name)
	if err != nil {
		return err // names the file
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err == nil {
		err = read(plain)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
