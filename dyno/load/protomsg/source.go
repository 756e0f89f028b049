package protomsg

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"dyno.example/dyno/load/template"
)

// What stands for a placeholder while the text is read as JSON: its number between two
// characters for private use, the first of which says whether it was in quotes.
const (
	inQuotes = "\U000F0001"
	bare     = "\U000F0002"
	markEnd  = "\U000F0003"
)

// source is a text whose placeholders have become marks, which makes it plain JSON.
type source struct {
	json         []byte
	placeholders []string // with their braces
}

// readSource finds the placeholders.
func readSource(text string) (*source, error) {
	if strings.ContainsAny(text, inQuotes+bare+markEnd) {
		return nil, errors.New("holds a character from U+F0001 to U+F0003, which are for private use")
	}
	pieces, err := template.Split(text)
	if err != nil {
		return nil, err
	}
	src := &source{}
	quoted, escaped := false, false
	for _, p := range pieces {
		if !p.Placeholder {
			src.json = append(src.json, p.Text...)
			for i := range len(p.Text) {
				switch c := p.Text[i]; {
				case escaped:
					escaped = false
				case c == '\\':
					escaped = quoted
				case c == '"':
					quoted = !quoted
				}
			}
			continue
		}
		start, quote := inQuotes, ""
		if !quoted {
			start, quote = bare, `"`
		}
		src.json = append(src.json, quote+start+strconv.Itoa(len(src.placeholders))+markEnd+quote...)
		src.placeholders = append(src.placeholders, p.Text)
	}
	return src, nil
}

// marked reports whether a value has placeholders in it.
func marked(raw []byte) bool {
	return bytes.Contains(raw, []byte(inQuotes)) || bytes.Contains(raw, []byte(bare))
}

// shown is a value as it was written, cut for a message.
func (src *source) shown(raw []byte) string {
	const most = 60
	var b strings.Builder
	text := string(raw)
	for text != "" {
		start := strings.IndexAny(text, inQuotes+bare)
		number, rest, ok := strings.Cut(text[max(start, 0):], markEnd)
		if start < 0 || !ok {
			b.WriteString(text)
			break
		}
		unquote := strings.HasPrefix(number, bare)
		b.WriteString(strings.TrimSuffix(text[:start], map[bool]string{true: `"`}[unquote]))
		i, _ := strconv.Atoi(number[len(bare):])
		b.WriteString(src.placeholders[i])
		if text = rest; unquote {
			text = strings.TrimPrefix(text, `"`)
		}
	}
	if b.Len() > most {
		return strings.ToValidUTF8(b.String()[:most], "") + "…"
	}
	return b.String()
}

// value is a scalar as it is written: a template, and whether it was in quotes.
type value struct {
	template string
	quoted   bool
}

// scalar reads a string with marks, or the mark of a bare placeholder.
func (src *source) scalar(raw []byte) (v value, err error) {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return v, err
	}
	v.quoted = !strings.Contains(text, bare)
	var b strings.Builder
	for text != "" {
		start := strings.IndexAny(text, inQuotes+bare)
		if start < 0 {
			b.WriteString(template.Escape(text))
			break
		}
		b.WriteString(template.Escape(text[:start]))
		number, rest, _ := strings.Cut(text[start:], markEnd)
		i, err := strconv.Atoi(number[len(bare):])
		if err != nil {
			return v, err
		}
		b.WriteString(src.placeholders[i])
		text = rest
	}
	v.template = b.String()
	return v, nil
}

// member is one of an object.
type member struct {
	key string
	raw json.RawMessage
}

// members takes an object apart, in its order. ok is false if raw is something else.
func members(raw []byte) (list []member, ok bool) {
	in := json.NewDecoder(bytes.NewReader(raw))
	if t, err := in.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return nil, false
		}
		var m member
		if err := in.Decode(&m.raw); err != nil {
			return nil, false
		}
		m.key, _ = key.(string)
		list = append(list, m)
	}
	return list, true
}

// items takes a list apart. ok is false if raw is something else.
func items(raw []byte) (list []json.RawMessage, ok bool) {
	ok = len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &list) == nil
	return list, ok
}

// checkJSON says where a text is no JSON.
func (src *source) checkJSON() error {
	in := json.NewDecoder(bytes.NewReader(src.json))
	var raw json.RawMessage
	err := in.Decode(&raw)
	if err == nil {
		end := in.InputOffset()
		if _, err = in.Token(); errors.Is(err, io.EOF) {
			src.json = raw
			return nil
		}
		return fmt.Errorf("something follows the message: %s", src.shown(bytes.TrimSpace(src.json[end:])))
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("is empty; an empty message is {}")
	case errors.As(err, &syntax):
		at := max(0, min(int(syntax.Offset)-1, len(src.json)))
		return fmt.Errorf("is not JSON: %w, at %s", err, src.shown([]byte(strings.ToValidUTF8(string(src.json[at:]), ""))))
	}
	return fmt.Errorf("is not JSON: %w", err)
}
