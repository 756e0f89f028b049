package jsonpb

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// wired is a message in the wire format, built piece by piece.
type wired []byte

func (w wired) varint(number protowire.Number, v uint64) wired {
	return protowire.AppendVarint(protowire.AppendTag(w, number, protowire.VarintType), v)
}

func (w wired) bytes(number protowire.Number, b string) wired {
	return protowire.AppendString(protowire.AppendTag(w, number, protowire.BytesType), b)
}

func (w wired) fixed32(number protowire.Number, v uint32) wired {
	return protowire.AppendFixed32(protowire.AppendTag(w, number, protowire.Fixed32Type), v)
}

// What other libraries may write, and what they must not.
func TestMessages(t *testing.T) {
	j := newJudge(t)
	for name, c := range map[string]struct {
		message wired
		taken   bool
	}{
		"nothing":                     {nil, true},
		"another order":               {wired{}.varint(3, 1).varint(2, 1), true},
		"zeros that are there":        {wired{}.varint(1, 0).varint(2, 0).bytes(14, "").varint(16, 0).bytes(22, "").fixed32(12, 0), true},
		"minus zero":                  {wired{}.fixed32(12, 1<<31), true},
		"more bits than it has":       {wired{}.varint(2, 1<<40|5).varint(4, 1<<40|5).varint(1, 1<<40).varint(6, 1<<40|5).varint(16, 1<<40|1), true},
		"cut to zero":                 {wired{}.varint(2, 1<<40).varint(16, 1<<40), true},
		"a long zero":                 {wired{2 << 3, 0x80, 0x80, 0}, true},
		"unknown fields":              {wired{}.varint(500, 1).bytes(501, "x").fixed32(502, 1).varint(2, 1), true},
		"a list that isn't packed":    {wired{}.varint(22, 1).varint(22, 2), true},
		"a list in parts":             {wired{}.bytes(22, "\x01\x02").varint(22, 3).bytes(22, "").bytes(22, "\x04"), true},
		"one that is packed anyway":   {wired{}.bytes(30, "\x01\x02"), true},
		"an entry without a key":      {wired{}.bytes(31, string(wired{}.bytes(2, "x"))), true},
		"an entry without a value":    {wired{}.bytes(31, string(wired{}.bytes(1, "x"))).bytes(32, string(wired{}.varint(1, 5))), true},
		"an entry of nothing":         {wired{}.bytes(32, "").bytes(33, "").bytes(34, ""), true},
		"a value before its key":      {wired{}.bytes(31, string(wired{}.bytes(2, "x").bytes(1, "y"))), true},
		"a time with more":            {wired{}.bytes(71, string(wired{}.varint(1, 5).bytes(9, "x"))), true},
		"a wrapper with more":         {wired{}.bytes(82, string(wired{}.varint(1, 5).bytes(9, "x"))), true},
		"a value twice":               {wired{}.varint(2, 1).varint(2, 2), false},
		"a message twice":             {wired{}.bytes(61, "").bytes(61, ""), false},
		"two of a oneof":              {wired{}.bytes(51, "").varint(52, 1), false},
		"a list apart":                {wired{}.varint(22, 1).varint(2, 1).varint(22, 2), false},
		"a list around the unknown":   {wired{}.varint(22, 1).varint(500, 1).varint(22, 2), false},
		"a key twice":                 {wired{}.bytes(31, string(wired{}.bytes(1, "x"))).bytes(31, string(wired{}.bytes(1, "x"))), false},
		"an entry with two values":    {wired{}.bytes(31, string(wired{}.bytes(2, "x").bytes(2, "y"))), false},
		"an entry with more":          {wired{}.bytes(31, string(wired{}.bytes(3, "x"))), false},
		"an entry that is cut":        {wired{}.bytes(31, "\x0a\x05x"), false},
		"another wire type":           {wired{}.bytes(2, "x"), false},
		"one in an entry":             {wired{}.bytes(31, string(wired{}.varint(1, 1))), false},
		"a string packed":             {wired{}.varint(26, 1), false},
		"no UTF-8":                    {wired{}.bytes(14, "\xff"), false},
		"no UTF-8 in a key":           {wired{}.bytes(31, string(wired{}.bytes(1, "\xff"))), false},
		"an extension":                {wired{}.bytes(63, string(wired{}.varint(100, 1))), false},
		"a group":                     {wired{}.bytes(63, "\x3b\x3c"), false},
		"an unknown group":            {protowire.AppendTag(protowire.AppendTag(nil, 500, protowire.StartGroupType), 500, protowire.EndGroupType), false},
		"field zero":                  {wired{0, 0}, false},
		"a field too many":            {protowire.AppendVarint(nil, 1<<32), false},
		"a tag that is cut":           {wired{0x80}, false},
		"a varint that is cut":        {wired{2 << 3, 0x80}, false},
		"one that is too long":        {append(wired{2 << 3}, strings.Repeat("\xff", 10)+"\x01"...), false},
		"a number that is cut":        {wired{12<<3 | 5, 1, 2, 3}, false},
		"a length beyond the end":     {wired{14<<3 | 2, 5, 'x'}, false},
		"a length beyond all":         {append(wired{14<<3 | 2}, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"...), false},
		"packed numbers that are cut": {wired{}.bytes(24, "123"), false},
		"packed varints that are cut": {wired{}.bytes(22, "\x01\x80"), false},
		"a time out of range":         {wired{}.bytes(71, string(wired{}.varint(1, 1<<60))), false},
		"nanoseconds out of range":    {wired{}.bytes(71, string(wired{}.varint(2, 1_000_000_000))), false},
		"a time before its second":    {wired{}.bytes(71, string(wired{}.varint(2, 1<<64-1))), false},
		"a duration of two signs":     {wired{}.bytes(72, string(wired{}.varint(1, 1).varint(2, 1<<64-1))), false},
		"an Any":                      {wired{}.bytes(91, ""), false},
		"a Struct":                    {wired{}.bytes(93, ""), false},
		"a null":                      {wired{}.varint(96, 0), false},
		"what requires fields":        {wired{}.bytes(64, ""), false},
		"too deep":                    {nested(nesting), false},
		"as deep as can be":           {nested(nesting - 1), true},
	} {
		if got := j.writes(t, c.message); got != c.taken {
			t.Errorf("%s: taken %v, want %v", name, got, c.taken)
		}
	}
}

// nested is a message with so many within each other.
func nested(n int) (w wired) {
	for range n {
		w = wired{}.bytes(61, string(w))
	}
	return w
}

// Messages of all sorts come to the same both ways as with protojson.
func TestRandom(t *testing.T) {
	j := newJudge(t)
	random := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 400 {
		m := dynamicpb.NewMessage(j.md)
		fill(random, m, 3)
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if j.writes(t, b) {
			taken++
		}
		text, err := protojson.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		j.reads(t, text)
		// What is slightly wrong is taken for no less than it is.
		for range 5 {
			j.reads(t, damaged(random, text))
			j.writes(t, damaged(random, b))
		}
	}
	if taken < 200 {
		t.Errorf("%d of 400 messages are taken", taken)
	}
}

// damaged is a copy with a byte changed, or gone, or put in.
func damaged(random *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	if len(b) == 0 {
		return b
	}
	at := random.IntN(len(b))
	switch random.IntN(4) {
	case 0:
		b[at] = byte(random.Uint32())
	case 1:
		b[at] = b[random.IntN(len(b))]
	case 2:
		b = slices.Delete(b, at, at+1)
	default:
		b = slices.Insert(b, at, `{}[],:"0 n\`[random.IntN(11)])
	}
	return b
}

// fill sets fields that are taken.
func fill(random *rand.Rand, m *dynamicpb.Message, depth int) {
	fields := m.Descriptor().Fields()
	for n := random.IntN(8); n > 0 && fields.Len() > 0; n-- {
		fd := fields.Get(random.IntN(fields.Len()))
		if fd.Message() != nil && !fd.IsMap() && (depth == 0 || formOf(fd.Message()) == left) || fd.Kind() == protoreflect.GroupKind || isNull(fd) {
			continue
		}
		value := func(fd protoreflect.FieldDescriptor, v protoreflect.Value) protoreflect.Value {
			if fd.Message() != nil {
				fillMessage(random, v.Message().Interface().(*dynamicpb.Message), depth-1)
				return v
			}
			return scalar(random, fd)
		}
		switch {
		case fd.IsMap():
			if fd.MapValue().Message() != nil && depth == 0 {
				continue
			}
			entries := m.Mutable(fd).Map()
			for range random.IntN(4) {
				entries.Set(scalar(random, fd.MapKey()).MapKey(), value(fd.MapValue(), entries.NewValue()))
			}
		case fd.IsList():
			for range random.IntN(4) {
				values := m.Mutable(fd).List()
				values.Append(value(fd, values.NewElement()))
			}
		default:
			m.Set(fd, value(fd, m.NewField(fd)))
		}
	}
}

func fillMessage(random *rand.Rand, m *dynamicpb.Message, depth int) {
	switch formOf(m.Descriptor()) {
	case timestamp, duration:
		m.Set(m.Descriptor().Fields().ByNumber(1), protoreflect.ValueOfInt64(random.Int64N(mostTime)))
		m.Set(m.Descriptor().Fields().ByNumber(2), protoreflect.ValueOfInt32([]int32{0, 5e8, 1000, 1, 999999999}[random.IntN(5)]))
	case wrapper:
		fd := m.Descriptor().Fields().Get(0)
		m.Set(fd, scalar(random, fd))
	default:
		fill(random, m, depth)
	}
}

// scalar is a value, often one at an end of its range.
func scalar(random *rand.Rand, fd protoreflect.FieldDescriptor) protoreflect.Value {
	n := []uint64{0, 1, 1<<64 - 1, 1 << 31, 1<<31 - 1, 1 << 63, 1<<63 - 1, random.Uint64()}[random.IntN(8)]
	text := []string{"", "plain text", "é漢😀", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "a long one " + strings.Repeat("x", random.IntN(300))}[random.IntN(5)]
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(n%2 == 0)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(n))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(n)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(random.NormFloat64() * []float64{0, 1, 1e-7, 1e21}[random.IntN(4)]))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(random.NormFloat64() * []float64{0, 1, 1e-7, 1e21, 1e300}[random.IntN(5)])
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(text))
	}
	return protoreflect.ValueOfString(text)
}

func FuzzRead(f *testing.F) {
	j := newJudge(f)
	for _, text := range usual {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { j.reads(t, text) })
}

func FuzzWrite(f *testing.F) {
	j := newJudge(f)
	for _, text := range usual {
		f.Add(j.wire(f, text))
	}
	f.Fuzz(func(t *testing.T, message []byte) { j.writes(t, message) })
}

// Neither way allocates.
func TestDoesNotAllocate(t *testing.T) {
	j := newJudge(t)
	const text = `{"i64":"5","text":"é\n","blob":"aGk","kind":"NOVEL","x64":1.5,"texts":["a","b"],"byText":{"b":"x","a":"y"},"all":{"at":"2026-01-02T03:04:05.5Z"},"wait":"1.5s","wBool":true}`
	m, body, message := j.message(Options{}), []byte(text), j.wire(t, text)
	var r reader
	var w writer
	for name, do := range map[string]func() bool{
		"reading": func() bool { r.begin(m.types, r.out[:0], body); return r.message(m) && r.ended() },
		"writing": func() bool { w.begin(m.types, w.out[:0]); return w.message(m, message) },
	} {
		if n := testing.AllocsPerRun(100, func() {
			if !do() {
				t.Fatal("it isn't taken")
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
}
