package pprof

import (
	"compress/gzip"
	"errors"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// Fields of profile.proto that are read or written.
const (
	profileSampleType = 1
	profileSample     = 2
	profileMapping    = 3
	profileLocation   = 4
	profileFunction   = 5
	profileString     = 6
	profileTime       = 9
	profileDuration   = 10
	profilePeriodType = 11
	profilePeriod     = 12
	profileComment    = 13
	profileDefault    = 14

	typeName = 1
	typeUnit = 2

	sampleLocation = 1
	sampleValue    = 2

	mappingID           = 1
	mappingFile         = 5
	mappingHasFunctions = 7

	locationID      = 1
	locationMapping = 2
	locationLine    = 4

	lineFunction = 1

	functionID   = 1
	functionName = 2
	functionSys  = 3
)

// writer renders a profile: each function has one location.
type writer struct {
	out     []byte
	strings map[string]int64
	texts   []string
	ids     map[string]uint64 // of functions, which are their locations' too
	names   []string
}

// Write writes a profile, gzipped. The last type of value is the one that readers show first.
func (p *Profile) Write(to io.Writer) error {
	w := &writer{strings: map[string]int64{"": 0}, texts: []string{""}, ids: map[string]uint64{}}
	for _, t := range p.Types {
		w.message(profileSampleType, w.typed(t))
	}
	for i := range p.Samples {
		w.message(profileSample, w.sample(&p.Samples[i]))
	}
	// With functions named in its only mapping, readers don't look for the program.
	w.message(profileMapping, numbers(nil, mappingID, 1, mappingFile, w.text(p.Program), mappingHasFunctions, 1))
	for i, name := range w.names {
		id := int64(i + 1)
		line := numbers(nil, lineFunction, id)
		w.message(profileLocation, appendMessage(numbers(nil, locationID, id, locationMapping, 1), locationLine, line))
		w.message(profileFunction, numbers(nil, functionID, id, functionName, w.text(name), functionSys, w.text(name)))
	}
	if !p.Time.IsZero() {
		w.out = numbers(w.out, profileTime, p.Time.UnixNano())
	}
	w.out = numbers(w.out, profileDuration, int64(p.Duration), profilePeriod, p.Period)
	w.message(profilePeriodType, w.typed(p.PeriodOf))
	for _, c := range p.Comments {
		w.out = numbers(w.out, profileComment, w.text(c))
	}
	if n := len(p.Types); n > 0 {
		w.out = numbers(w.out, profileDefault, w.text(p.Types[n-1].Name))
	}
	for _, text := range w.texts { // the last, as others add to them
		w.out = protowire.AppendString(protowire.AppendTag(w.out, profileString, protowire.BytesType), text)
	}
	z := gzip.NewWriter(to)
	_, err := z.Write(w.out)
	return errors.Join(err, z.Close())
}

func (w *writer) typed(t Type) []byte {
	return numbers(nil, typeName, w.text(t.Name), typeUnit, w.text(t.Unit))
}

func (w *writer) sample(s *Sample) []byte {
	var places, values []byte
	for _, name := range s.Stack {
		id, known := w.ids[name]
		if !known {
			w.names = append(w.names, name)
			id = uint64(len(w.names))
			w.ids[name] = id
		}
		places = protowire.AppendVarint(places, id)
	}
	for _, v := range s.Values {
		values = protowire.AppendVarint(values, uint64(v))
	}
	return appendMessage(appendMessage(nil, sampleLocation, places), sampleValue, values)
}

// text is the place of a text in the table.
func (w *writer) text(s string) int64 {
	at, known := w.strings[s]
	if !known {
		at = int64(len(w.texts))
		w.strings[s], w.texts = at, append(w.texts, s)
	}
	return at
}

func (w *writer) message(field protowire.Number, m []byte) {
	w.out = appendMessage(w.out, field, m)
}

func appendMessage(to []byte, field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, field, protowire.BytesType), m)
}

// numbers appends fields and their values in turns.
func numbers(to []byte, pairs ...int64) []byte {
	for i := 0; i < len(pairs); i += 2 {
		to = protowire.AppendTag(to, protowire.Number(pairs[i]), protowire.VarintType)
		to = protowire.AppendVarint(to, uint64(pairs[i+1]))
	}
	return to
}
