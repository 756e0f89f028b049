package finding

import (
	"bytes"
	"encoding/json"

	"dyno.example/internal/i18n"
)

// JSON is a finding as files and programs have it: its detail in English and, where it can
// be read in other languages, as a message too. A finding that was written before there
// were messages has only English, and is shown in it.
type JSON struct {
	Name     Name          `json:"name"`
	Validity Validity      `json:"level"`
	Detail   string        `json:"detail"`
	Message  i18n.Archived `json:"message,omitzero"`
	Windows  []int         `json:"windows,omitempty"`
	Accepted bool          `json:"accepted,omitempty"`
}

// JSON is the finding as files have it.
func (f *Finding) JSON() JSON {
	j := JSON{f.Name, f.Validity, f.Detail.String(), i18n.Archived{}, f.Windows, f.Accepted}
	if f.Detail.Translates() {
		j.Message.Message = f.Detail
	}
	return j
}

// MarshalJSON implements [json.Marshaler].
func (f Finding) MarshalJSON() ([]byte, error) { return json.Marshal(f.JSON()) }

// UnmarshalJSON implements [json.Unmarshaler].
func (f *Finding) UnmarshalJSON(data []byte) error {
	var j JSON
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields() // as who reads an archive does
	if err := d.Decode(&j); err != nil {
		return err
	}
	*f = j.Finding()
	return nil
}

// Finding is the finding that files have so.
func (j *JSON) Finding() Finding {
	f := Finding{j.Name, j.Validity, j.Message.Message, j.Windows, j.Accepted}
	if f.Detail.IsZero() {
		f.Detail = i18n.Verbatim(j.Detail)
	}
	return f
}
