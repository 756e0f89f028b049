package etcd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"dyno.example/nanogate/internal/config"
)

// instance is what stands under one key.
type instance struct {
	Address config.Address
	Weight  int // 1 to 1000
	Zone    string
}

// mostValue bounds an instance's value, in bytes.
const mostValue = 16 << 10

// update is the form of etcd's naming/endpoints package, which is also what grpc-go's
// resolver for etcd reads: Op 0 adds, Op 1 says that the instance is gone.
type update struct {
	Op       int
	Addr     string
	Metadata json.RawMessage `json:",omitempty"`
}

// metadata is what of an instance's metadata means something here.
type metadata struct {
	Weight *float64 `json:"weight,omitempty"`
	Zone   string   `json:"zone,omitempty"`
}

// errGone is the value of an instance that says itself that it is gone.
var errGone = errors.New("it is gone")

// parseValue reads the value under a key: an update as JSON, or a plain URL or host:port.
func parseValue(value []byte) (in instance, err error) {
	value = bytes.TrimSpace(value)
	switch {
	case len(value) == 0:
		return in, errors.New("expected an address, got nothing")
	case len(value) > mostValue:
		return in, fmt.Errorf("expected at most %d bytes, got %d", mostValue, len(value))
	case value[0] != '{':
		in.Weight = 1
		in.Address, err = parseAddress(string(value))
		return in, err
	}
	var u update
	if err := json.Unmarshal(value, &u); err != nil {
		return in, fmt.Errorf(`expected JSON such as {"Op":0,"Addr":"10.0.0.1:8080"}: %w`, err)
	}
	switch u.Op {
	case 0:
	case 1:
		return in, errGone
	default:
		return in, fmt.Errorf("expected Op 0 or 1, got %d", u.Op)
	}
	if in.Address, err = parseAddress(u.Addr); err != nil {
		return in, err
	}
	in.Weight, in.Zone, err = parseMetadata(u.Metadata)
	return in, err
}

func parseAddress(text string) (config.Address, error) {
	if text == "" {
		return config.Address{}, errors.New("it has no Addr")
	}
	a, err := config.ParseAddress(text)
	switch {
	case err != nil:
		return a, err
	case a.Unix != "":
		return a, errors.New("a unix socket is of one machine only: expected host:port")
	}
	return a, nil
}

// parseMetadata reads weight and zone. Metadata is whatever its writer likes: what is no
// object means nothing here.
func parseMetadata(text json.RawMessage) (weight int, zone string, err error) {
	weight = 1
	if len(text) == 0 || text[0] != '{' {
		return weight, "", nil
	}
	var m metadata
	if err := json.Unmarshal(text, &m); err != nil {
		return 0, "", fmt.Errorf(`expected metadata such as {"weight": 3, "zone": "a"}: %w`, err)
	}
	if m.Weight != nil {
		weight = int(*m.Weight)
		if float64(weight) != *m.Weight || weight < 1 || weight > 1000 {
			return 0, "", fmt.Errorf("expected a weight from 1 to 1000, got %v", *m.Weight)
		}
	}
	const longest = 64
	if len(m.Zone) > longest {
		return 0, "", fmt.Errorf("expected a zone of at most %d bytes", longest)
	}
	return weight, m.Zone, nil
}

// appendValue writes an instance in the same form.
func appendValue(in instance) ([]byte, error) {
	u := update{Addr: in.Address.String()}
	if in.Address.TLS {
		u.Addr = "https://" + u.Addr
	}
	if in.Weight > 1 || in.Zone != "" {
		m := metadata{Zone: in.Zone}
		if in.Weight > 1 {
			w := float64(in.Weight)
			m.Weight = &w
		}
		var err error
		if u.Metadata, err = json.Marshal(m); err != nil {
			return nil, err
		}
	}
	return json.Marshal(u)
}
