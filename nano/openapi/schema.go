package openapi

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Schema is a JSON Schema of draft 2020-12, as far as Go types and validate tags
// need it.
type Schema struct {
	Ref                  string             `json:"$ref,omitempty"`
	Type                 any                `json:"type,omitempty"` // a string, or with "null" a list of two
	Format               string             `json:"format,omitempty"`
	Description          string             `json:"description,omitempty"`
	Enum                 []any              `json:"enum,omitempty"`
	Pattern              string             `json:"pattern,omitempty"`
	ContentEncoding      string             `json:"contentEncoding,omitempty"`
	Minimum              json.Number        `json:"minimum,omitempty"`
	Maximum              json.Number        `json:"maximum,omitempty"`
	ExclusiveMinimum     json.Number        `json:"exclusiveMinimum,omitempty"`
	ExclusiveMaximum     json.Number        `json:"exclusiveMaximum,omitempty"`
	MinLength            *int               `json:"minLength,omitempty"`
	MaxLength            *int               `json:"maxLength,omitempty"`
	MinItems             *int               `json:"minItems,omitempty"`
	MaxItems             *int               `json:"maxItems,omitempty"`
	UniqueItems          bool               `json:"uniqueItems,omitempty"`
	MinProperties        *int               `json:"minProperties,omitempty"`
	MaxProperties        *int               `json:"maxProperties,omitempty"`
	Items                *Schema            `json:"items,omitempty"`
	Properties           map[string]*Schema `json:"properties,omitempty"`
	AdditionalProperties *Schema            `json:"additionalProperties,omitempty"`
	Required             []string           `json:"required,omitempty"`
	AnyOf                []*Schema          `json:"anyOf,omitempty"`
}

// Schemer is a type that describes its own JSON: one with a MarshalJSON, whose schema
// can't be derived.
type Schemer interface{ JSONSchema() *Schema }

// schemas makes schemas of Go types; those of named structs are kept once, under
// components.
type schemas struct {
	named map[string]*Schema
	names map[reflect.Type]string
}

func newSchemas() *schemas {
	return &schemas{named: map[string]*Schema{}, names: map[reflect.Type]string{}}
}

var (
	schemerType  = reflect.TypeFor[Schemer]()
	marshalType  = reflect.TypeFor[json.Marshaler]()
	textType     = reflect.TypeFor[encoding.TextMarshaler]()
	timeType     = reflect.TypeFor[time.Time]()
	numberType   = reflect.TypeFor[json.Number]()
	durationType = reflect.TypeFor[time.Duration]()
)

// of returns the schema of a value's type, held to rules as in a validate tag.
// A *Schema stands for itself, a reflect.Type for that type.
func (s *schemas) of(value any, rules string) (*Schema, error) {
	switch v := value.(type) {
	case *Schema:
		return v, nil
	case reflect.Type:
		return s.field(v, rules)
	}
	return s.field(reflect.TypeOf(value), rules)
}

// field returns the schema of a type where rules are added to it.
func (s *schemas) field(t reflect.Type, rules string) (*Schema, error) {
	schema, err := s.typ(t)
	if err != nil {
		return nil, err
	}
	return schema, apply(schema, t, rules)
}

// typ returns the schema of what encoding/json makes of a type.
func (s *schemas) typ(t reflect.Type) (*Schema, error) {
	if special := specialSchema(t); special != nil {
		return special, nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return &Schema{Type: "boolean"}, nil
	case reflect.String:
		return &Schema{Type: "string"}, nil
	case reflect.Float32, reflect.Float64:
		return &Schema{Type: "number"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return integer(t), nil
	case reflect.Interface:
		return &Schema{}, nil
	case reflect.Pointer:
		return s.pointer(t)
	case reflect.Slice, reflect.Array:
		return s.list(t)
	case reflect.Map:
		return s.mapping(t)
	case reflect.Struct:
		return s.structure(t)
	}
	return nil, fmt.Errorf("JSON has no form for the type %s", t)
}

// specialSchema returns the schema of a type that doesn't look like its kind;
// nil for all others.
func specialSchema(t reflect.Type) *Schema {
	switch {
	case t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(schemerType):
		own := *reflect.New(t).Interface().(Schemer).JSONSchema()
		return &own
	case t == timeType:
		return &Schema{Type: "string", Format: "date-time"}
	case t == numberType:
		return &Schema{Type: "number"}
	case t == durationType:
		return &Schema{Type: "integer", Format: "int64", Description: "A duration in nanoseconds."}
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface:
		return nil
	case t.Implements(marshalType) || reflect.PointerTo(t).Implements(marshalType):
		return &Schema{}
	case t.Implements(textType) || reflect.PointerTo(t).Implements(textType):
		return &Schema{Type: "string"}
	}
	return nil
}

// integer describes signed 32 and 64 bits by OpenAPI's formats, others by their bounds.
// (OpenAPI 3.1, 4.4.)
func integer(t reflect.Type) *Schema {
	s := &Schema{Type: "integer"}
	switch t.Kind() {
	case reflect.Int32:
		s.Format = "int32"
	case reflect.Int, reflect.Int64:
		s.Format = "int64"
	case reflect.Int8, reflect.Int16:
		high := int64(1)<<(t.Bits()-1) - 1
		s.Minimum, s.Maximum = number(-high-1), number(high)
	default:
		s.Minimum = "0"
		if t.Bits() < 64 {
			s.Maximum = number(int64(1)<<t.Bits() - 1)
		}
	}
	return s
}

func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// pointer allows null as well as what it points to.
func (s *schemas) pointer(t reflect.Type) (*Schema, error) {
	to, err := s.typ(t.Elem())
	if err != nil {
		return nil, err
	}
	if kind, ok := to.Type.(string); ok {
		to.Type = []string{kind, "null"}
		return to, nil
	}
	if to.Ref == "" {
		return to, nil // anything, or null already
	}
	return &Schema{AnyOf: []*Schema{to, {Type: "null"}}}, nil
}

// list is an array, or base64 if it is of bytes. That a nil slice is null is
// left out: it is rarely meant.
func (s *schemas) list(t reflect.Type) (*Schema, error) {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !isMarshaler(t.Elem()) {
		return &Schema{Type: "string", ContentEncoding: "base64"}, nil
	}
	items, err := s.typ(t.Elem())
	if err != nil {
		return nil, err
	}
	list := &Schema{Type: "array", Items: items}
	if t.Kind() == reflect.Array {
		n := t.Len()
		list.MinItems, list.MaxItems = &n, &n
	}
	return list, nil
}

func isMarshaler(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(marshalType) || p.Implements(textType)
}

func (s *schemas) mapping(t reflect.Type) (*Schema, error) {
	switch k := t.Key(); {
	case k.Kind() == reflect.String, k.Implements(textType), reflect.Int <= k.Kind() && k.Kind() <= reflect.Uintptr:
	default:
		return nil, fmt.Errorf("JSON has no form for keys of the type %s", k)
	}
	values, err := s.typ(t.Elem())
	return &Schema{Type: "object", AdditionalProperties: values}, err
}

// structure refers to the schema of a struct with a name, made once.
func (s *schemas) structure(t reflect.Type) (*Schema, error) {
	if t.Name() == "" {
		return s.object(t)
	}
	name, known := s.names[t]
	if !known {
		name = s.freeName(t)
		s.names[t] = name
		s.named[name] = &Schema{} // keeps the name while the struct is described
		object, err := s.object(t)
		if err != nil {
			return nil, err
		}
		s.named[name] = object
	}
	return &Schema{Ref: "#/components/schemas/" + name}, nil
}

// freeName returns a type's name, with its package if another one has it. Only
// letters, digits and ._- may be in it.
func (s *schemas) freeName(t reflect.Type) string {
	pkg := t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:]
	name := cleanName(t.Name())
	if s.named[name] != nil {
		name = cleanName(pkg) + "." + name
	}
	for i, free := 2, name; ; i++ {
		if s.named[free] == nil {
			return free
		}
		free = name + "-" + strconv.Itoa(i)
	}
}

// cleanName makes Page[example.com/shop.Item] Page_Item.
func cleanName(name string) string {
	base, args, generic := strings.Cut(name, "[")
	if generic {
		for arg := range strings.SplitSeq(strings.TrimSuffix(args, "]"), ",") {
			base += "_" + arg[strings.LastIndexAny(arg, "./")+1:]
		}
	}
	return strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
			return c
		}
		return '_'
	}, base)
}
