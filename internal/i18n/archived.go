package i18n

import "encoding/json"

// A message is its English in JSON: that is what programs read. An archive, which is read
// to be shown in any language, has it besides as [Archived].

// MarshalText implements [encoding.TextMarshaler].
func (m Message) MarshalText() ([]byte, error) { return []byte(m.english), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]: of a message in English nothing is
// known but that.
func (m *Message) UnmarshalText(text []byte) error {
	*m = Verbatim(string(text))
	return nil
}

// Archived is a message in full: an object with its id, its arguments and its English; a
// string for what reads the same in all languages; a list for messages put together.
type Archived struct{ Message }

// archived is the object.
type archived struct {
	ID      string     `json:"id"`
	Args    []Archived `json:"args,omitempty"`
	English string     `json:"en"`
}

// MarshalJSON implements [json.Marshaler].
func (a Archived) MarshalJSON() ([]byte, error) {
	parts := make([]Archived, len(a.parts))
	for i, part := range a.parts {
		parts[i] = Archived{part}
	}
	switch {
	case a.id != "":
		return json.Marshal(archived{a.id, parts, a.english})
	case len(parts) > 0:
		return json.Marshal(parts)
	}
	return json.Marshal(a.english)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (a *Archived) UnmarshalJSON(data []byte) error {
	var parts []Archived
	switch data[0] {
	case '{':
		var o archived
		if err := json.Unmarshal(data, &o); err != nil {
			return err
		}
		a.Message = Message{id: o.ID, english: o.English}
		parts = o.Args
	case '[':
		a.Message = Message{}
		if err := json.Unmarshal(data, &parts); err != nil {
			return err
		}
		for _, part := range parts {
			a.english += part.english
		}
	default:
		a.Message = Message{}
		return json.Unmarshal(data, &a.english)
	}
	for _, part := range parts {
		a.parts = append(a.parts, part.Message)
	}
	return nil
}
