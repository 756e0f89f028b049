package rounds

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// WriteDocument writes a record as NAME.json, with everything, and NAME.md, for people.
func WriteDocument(folder, name string, record any, markdown string) error {
	document, err := json.MarshalIndent(record, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, name+".json"), append(document, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name+".md"), []byte(markdown), 0o644)
}
