package i18n

import "encoding/json"

// A message is its English in JSON: that is what programs read. An archive, which is read
// to be shown in any language, has it as [Archived], too.

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
	switch {
	case a.id != "":
		return json.Marshal(archived{a.id, archive(a.decode()), a.english})
	case a.parts != "":
		return json.Marshal(archive(a.decode()))
	}
	return json.Marshal(a.english)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (a *Archived) UnmarshalJSON(data []byte) error {
	var o archived
	var err error
	switch data[0] {
	case '{':
		err = json.Unmarshal(data, &o)
	case '[':
		err = json.Unmarshal(data, &o.Args)
		for _, part := range o.Args {
			o.English += part.english
		}
	default:
		err = json.Unmarshal(data, &o.English)
	}
	parts := make([]Message, len(o.Args))
	for i, part := range o.Args {
		parts[i] = part.Message
	}
	a.Message = Message{id: o.ID, english: o.English, parts: encode(parts)}
	return err
}

// archive is a list of messages as an archive has them.
func archive(list []Message) []Archived {
	out := make([]Archived, len(list))
	for i, m := range list {
		out[i] = Archived{m}
	}
	return out
}
