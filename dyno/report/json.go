package report

import (
	"encoding/json"
	"fmt"
	"io"

	"dyno.example/dyno/analysis"
)

// JSON writes the whole analysis, indented, map keys sorted.
func JSON(w io.Writer, a *analysis.Analysis) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(a); err != nil {
		return fmt.Errorf("report: writing JSON: %w", err)
	}
	return nil
}
