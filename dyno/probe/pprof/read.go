package pprof

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Bounds of what is read.
const (
	mostBytes = 64 << 20 // uncompressed
	mostDepth = 1024     // functions of a stack; more are cut off
	mostNames = 16 << 20 // functions of all stacks together
)

// unknown is what has no name.
const unknown = "[unknown]"

// Read reads a profile, gzipped or not.
func Read(from io.Reader) (*Profile, error) {
	data, err := io.ReadAll(io.LimitReader(from, mostBytes+1))
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		if data, err = io.ReadAll(io.LimitReader(z, mostBytes+1)); err != nil {
			return nil, err
		}
	}
	if len(data) > mostBytes {
		return nil, fmt.Errorf("the profile has more than %d MiB", mostBytes>>20)
	}
	return parse(data)
}

// reader holds a profile's parts while they still refer to each other by number.
type reader struct {
	p         Profile
	texts     []string
	types     [][]byte
	samples   [][]byte
	places    map[uint64][]uint64 // location → functions, from the innermost out
	functions map[uint64]int64    // function → its name
	mapping   int64               // the first mapping's file
	period    []byte
	comments  []int64
}

func parse(data []byte) (*Profile, error) {
	r := &reader{places: make(map[uint64][]uint64), functions: make(map[uint64]int64)}
	mappings := 0
	err := fields(data, func(field protowire.Number, n uint64, m []byte) error {
		switch field {
		case profileSampleType:
			r.types = append(r.types, m)
		case profileSample:
			r.samples = append(r.samples, m)
		case profileMapping:
			if mappings++; mappings == 1 {
				return fields(m, func(f protowire.Number, n uint64, _ []byte) error {
					if f == mappingFile {
						r.mapping = int64(n)
					}
					return nil
				})
			}
		case profileLocation:
			return r.location(m)
		case profileFunction:
			return r.function(m)
		case profileString:
			r.texts = append(r.texts, string(m))
		case profileTime:
			r.p.Time = time.Unix(0, int64(n))
		case profileDuration:
			r.p.Duration = time.Duration(n)
		case profilePeriod:
			r.p.Period = int64(n)
		case profilePeriodType:
			r.period = m
		case profileComment:
			return repeated(n, m, func(n uint64) { r.comments = append(r.comments, int64(n)) })
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r.resolve()
}

// resolve puts names in the place of numbers.
func (r *reader) resolve() (*Profile, error) {
	if len(r.types) == 0 {
		return nil, errors.New("it is no profile: it has no type of sample")
	}
	p := &r.p
	for _, m := range r.types {
		t, err := r.typed(m)
		if err != nil {
			return nil, err
		}
		p.Types = append(p.Types, t)
	}
	var err error
	if p.PeriodOf, err = r.typed(r.period); err != nil {
		return nil, err
	}
	p.Program = r.text(r.mapping)
	for _, c := range r.comments {
		p.Comments = append(p.Comments, r.text(c))
	}
	names := 0
	for i, m := range r.samples {
		s, err := r.sample(m)
		if err != nil {
			return nil, err
		}
		if len(s.Values) != len(p.Types) {
			return nil, fmt.Errorf("sample %d has %d values, of %d types", i, len(s.Values), len(p.Types))
		}
		if names += len(s.Stack); names > mostNames {
			return nil, fmt.Errorf("the stacks have more than %d functions", mostNames)
		}
		p.Samples = append(p.Samples, s)
	}
	return p, nil
}

func (r *reader) typed(m []byte) (t Type, err error) {
	err = fields(m, func(field protowire.Number, n uint64, _ []byte) error {
		switch field {
		case typeName:
			t.Name = r.text(int64(n))
		case typeUnit:
			t.Unit = r.text(int64(n))
		}
		return nil
	})
	return t, err
}

func (r *reader) sample(m []byte) (s Sample, err error) {
	err = fields(m, func(field protowire.Number, n uint64, m []byte) error {
		switch field {
		case sampleLocation:
			return repeated(n, m, func(id uint64) {
				functions := r.places[id]
				if functions == nil && len(s.Stack) < mostDepth {
					s.Stack = append(s.Stack, unknown)
				}
				for _, f := range functions {
					if len(s.Stack) < mostDepth {
						s.Stack = append(s.Stack, r.name(f))
					}
				}
			})
		case sampleValue:
			return repeated(n, m, func(v uint64) { s.Values = append(s.Values, int64(v)) })
		}
		return nil
	})
	return s, err
}

func (r *reader) location(m []byte) error {
	var id uint64
	var list []uint64
	err := fields(m, func(field protowire.Number, n uint64, m []byte) error {
		switch field {
		case locationID:
			id = n
		case locationLine:
			return fields(m, func(field protowire.Number, n uint64, _ []byte) error {
				if field == lineFunction {
					list = append(list, n)
				}
				return nil
			})
		}
		return nil
	})
	r.places[id] = list
	return err
}

func (r *reader) function(m []byte) error {
	var id uint64
	var name int64
	err := fields(m, func(field protowire.Number, n uint64, _ []byte) error {
		switch field {
		case functionID:
			id = n
		case functionName:
			name = int64(n)
		}
		return nil
	})
	r.functions[id] = name
	return err
}

func (r *reader) name(function uint64) string {
	if name := r.text(r.functions[function]); name != "" {
		return name
	}
	return unknown
}

// text is one of the table; empty if there is none of that number.
func (r *reader) text(at int64) string {
	if at < 0 || at >= int64(len(r.texts)) {
		return ""
	}
	return r.texts[at]
}

// fields calls see with each field of a message: its number, or its bytes.
func fields(m []byte, see func(field protowire.Number, n uint64, m []byte) error) error {
	for len(m) > 0 {
		field, kind, size := protowire.ConsumeTag(m)
		if size < 0 {
			return protowire.ParseError(size)
		}
		m = m[size:]
		var n uint64
		var inner []byte
		switch kind {
		case protowire.VarintType:
			n, size = protowire.ConsumeVarint(m)
		case protowire.BytesType:
			inner, size = protowire.ConsumeBytes(m)
			if inner == nil {
				inner = []byte{}
			}
		default:
			size = protowire.ConsumeFieldValue(field, kind, m)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		m = m[size:]
		if err := see(field, n, inner); err != nil {
			return err
		}
	}
	return nil
}

// repeated calls see with a number, or with all of a packed field.
func repeated(n uint64, packed []byte, see func(uint64)) error {
	if packed == nil {
		see(n)
		return nil
	}
	for len(packed) > 0 {
		v, size := protowire.ConsumeVarint(packed)
		if size < 0 {
			return protowire.ParseError(size)
		}
		packed = packed[size:]
		see(v)
	}
	return nil
}
