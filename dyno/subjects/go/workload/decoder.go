package main

import (
	"encoding/json"
	"strings"
	"sync"

	"subject/user"
)

func decoderNew() func() int {
	return func() int {
		var u user.User
		if err := json.NewDecoder(strings.NewReader(userJSON)).Decode(&u); err != nil {
			return -1
		}
		return u.Age
	}
}

// pooledDecoder reads one body after another. encoding/json has no Reset, so the
// decoder takes all bodies for one stream of values: that works as long as every
// body is exactly one value. After an error it can't go on and is thrown away.
type pooledDecoder struct {
	*json.Decoder
	body strings.Reader
}

var decoders = sync.Pool{New: func() any {
	d := new(pooledDecoder)
	d.Decoder = json.NewDecoder(&d.body)
	return d
}}

func decoderPooled() func() int {
	return func() int {
		d := decoders.Get().(*pooledDecoder)
		d.body.Reset(userJSON)
		var u user.User
		if err := d.Decode(&u); err != nil || d.body.Len() > 0 {
			return -1
		}
		decoders.Put(d)
		return u.Age
	}
}
