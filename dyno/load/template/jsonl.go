package template

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// ReadJSONL reads one JSON object a line; blank lines are passed over. Texts are
// put in without their quotes, other values as they are written, without spaces.
// Rows may lack a column as long as no placeholder uses it. file is the name in
// messages; a file of more than maxBytes is refused.
func ReadJSONL(file string, r io.Reader, maxBytes int64) (*Table, error) {
	in := bufio.NewReader(&bounded{r, maxBytes})
	t := &Table{file: file}
	columns := make(map[string]int)
	for number := 1; ; number++ {
		line, end := in.ReadBytes('\n')
		if end != nil && end != io.EOF {
			if errors.Is(end, errTooLong) {
				end = fmt.Errorf("has more than the %d bytes that are allowed", maxBytes)
			}
			return nil, fault(file, 0, end)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			row, err := t.object(line, columns)
			if err != nil {
				return nil, fault(file, number, err)
			}
			t.rows, t.lines = append(t.rows, row), append(t.lines, int32(number))
		}
		if end == io.EOF {
			break
		}
	}
	if len(t.rows) == 0 {
		return nil, fault(file, 0, errors.New("has no rows"))
	}
	return t, nil
}

// object reads a row; columns it is the first to have are added.
func (t *Table) object(line []byte, columns map[string]int) ([]field, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		return nil, fmt.Errorf("is not a JSON object: %w", err)
	}
	if members == nil {
		return nil, errors.New("is not a JSON object but null")
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if _, ok := columns[name]; !ok {
			columns[name] = len(t.columns)
			t.columns = append(t.columns, name)
		}
	}
	if len(t.columns) > maxColumns {
		return nil, fmt.Errorf("with this row there are %d columns; at most %d are allowed", len(t.columns), maxColumns)
	}
	row := make([]field, len(t.columns))
	for name, value := range members {
		text, err := valueText(value)
		if err != nil {
			return nil, err
		}
		row[columns[name]] = field{text, true}
	}
	return row, nil
}

func valueText(value json.RawMessage) (string, error) {
	if value[0] == '"' {
		var text string
		err := json.Unmarshal(value, &text)
		return text, err
	}
	var compact bytes.Buffer
	err := json.Compact(&compact, value)
	return compact.String(), err
}
