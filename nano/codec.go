package nano

import (
	"encoding/xml"
	"strings"
)

// JSONCodec takes the place of encoding/json. Its functions may be called by several
// goroutines at a time. A nil function leaves encoding/json in its place.
type JSONCodec struct {
	// Marshal encodes v. The bytes are sent, and not changed.
	Marshal func(v any) ([]byte, error)
	// Unmarshal decodes text, which it must not keep, into what v points to. It is what
	// decides whether names that are there twice, or unknown, are refused;
	// [Config].StrictJSON does not reach it.
	Unmarshal func(text []byte, v any) error
}

// Decoder decodes a body, which it must not keep, into what into points to. Its error
// is told to the client, as what is wrong with the body.
type Decoder func(body []byte, into any) error

// DecodeXML is the [Decoder] of encoding/xml.
func DecodeXML(body []byte, into any) error { return xml.Unmarshal(body, into) }

// maxReason is how much of a decoder's error is told: what it says may be the body's.
const maxReason = 100

// decodeBody reads the body with a decoder of the app's.
func (c Ctx) decodeBody(decode Decoder, ptr any) error {
	body, err := c.Body()
	if err != nil {
		return err
	}
	return undecodable(decode(body, ptr))
}

// undecodable is what the client is told of a decoder's error; nil if there is none.
func undecodable(err error) error {
	if err == nil {
		return nil
	}
	reason := strings.ToValidUTF8(err.Error(), "?")
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "…"
	}
	return FieldErrors{{"body", "", "can't be read: " + reason}}.problem(400, "the request can't be read").Because(err)
}
