package nano

import (
	"encoding/json"
	"fmt"

	"dyno/nano/internal/router"
)

// jsonEncoder encodes into a buffer that stays with the exchange.
type jsonEncoder struct {
	buf []byte
	enc *json.Encoder
}

func (e *jsonEncoder) Write(p []byte) (int, error) {
	e.buf = append(e.buf, p...)
	return len(p), nil
}

// encode returns v as JSON, valid until the next call.
func (e *jsonEncoder) encode(v any) ([]byte, error) {
	if e.enc == nil {
		e.enc = json.NewEncoder(e)
	}
	if cap(e.buf) > router.MaxScratch {
		e.buf = nil
	}
	e.buf = e.buf[:0]
	if err := e.enc.Encode(v); err != nil {
		e.enc = nil // an encoder fails for ever after its writer did
		return nil, fmt.Errorf("encoding the answer: %w", err)
	}
	return e.buf[:len(e.buf)-1], nil // without the line end that Encode adds
}

// JSON answers with v encoded by encoding/json, or by what [Config].JSON has. If v can't be encoded nothing is
// sent. [Ctx.JSONWriter] writes small answers without allocating.
func (c Ctx) JSON(code int, v any) error {
	x := c.live()
	if marshal := x.app.config.JSON.Marshal; marshal != nil {
		body, err := marshal(v)
		if err != nil {
			return fmt.Errorf("encoding the answer: %w", err)
		}
		return c.send(code, jsonLine, body)
	}
	body, err := x.encoder.encode(v)
	if err != nil {
		return err
	}
	return c.send(code, jsonLine, body)
}
