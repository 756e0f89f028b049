package protomsg

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"dyno.example/dyno/load/template"
	"dyno.example/internal/spelling"
)

// maxDepth bounds how deep messages lie in each other.
const maxDepth = 100

// Compile makes a program of a text that is JSON for messages of a type. An error says
// which field doesn't fit by its path, such as address.lines[2].
func Compile(text string, of protoreflect.MessageDescriptor, env *template.Env) (*Program, error) {
	src, err := readSource(text)
	if err == nil {
		err = src.checkJSON()
	}
	if err != nil {
		return nil, err
	}
	c := &compiler{source: src, env: env, types: dynamicpb.NewTypes(filesOf(of))}
	if err := c.message(src.json, of, "", 0); err != nil {
		return nil, err
	}
	if err := c.check(of); err != nil {
		return nil, err
	}
	return &c.Program, nil
}

// compiler makes a program.
type compiler struct {
	*source
	env   *template.Env
	types *dynamicpb.Types
	Program
}

// wrong is an error at a path; "" is the message itself.
func wrong(path, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if path == "" {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// message compiles an object.
func (c *compiler) message(raw []byte, of protoreflect.MessageDescriptor, path string, depth int) error {
	list, ok := members(raw)
	switch {
	case !ok && marked(raw):
		return wrong(path, "%s can't stand for a message of type %s: write its fields, with placeholders for their values", c.shown(raw), of.FullName())
	case !ok:
		return wrong(path, "expected an object (%s), got %s", of.FullName(), c.shown(raw))
	case depth > maxDepth:
		return wrong(path, "messages lie more than %d deep in each other", maxDepth)
	}
	seen := make(map[protoreflect.FullName]string)
	for _, m := range list {
		if marked([]byte(m.key)) {
			return wrong(path, "a placeholder can't be the name of a field")
		}
		fd, err := c.field(of, m.key, path)
		if err != nil {
			return err
		}
		at := join(path, m.key)
		taken := fd.FullName()
		if one := fd.ContainingOneof(); one != nil && string(m.raw) != "null" {
			taken = one.FullName()
		}
		switch before, twice := seen[taken]; {
		case twice && taken == fd.FullName():
			return wrong(at, "is given twice")
		case twice:
			return wrong(at, "only one of %s and %s can be set (%s)", before, m.key, taken)
		}
		seen[taken] = m.key
		if err := c.member(of, fd, m, at, depth); err != nil {
			return err
		}
	}
	return nil
}

// field finds the field of a key: by its name in JSON, in the .proto file or, of an
// extension, in brackets.
func (c *compiler) field(of protoreflect.MessageDescriptor, key, path string) (protoreflect.FieldDescriptor, error) {
	fields := of.Fields()
	if fd := fields.ByJSONName(key); fd != nil {
		return fd, nil
	}
	if fd := fields.ByTextName(key); fd != nil {
		return fd, nil
	}
	if name, ok := strings.CutPrefix(key, "["); ok {
		if x, err := c.types.FindExtensionByName(protoreflect.FullName(strings.TrimSuffix(name, "]"))); err == nil && x.TypeDescriptor().ContainingMessage().FullName() == of.FullName() {
			return x.TypeDescriptor(), nil
		}
	}
	var known []string
	for i := range fields.Len() {
		known = append(known, fields.Get(i).JSONName())
	}
	hint := "it has no fields"
	if near, ok := spelling.Nearest(key, known); ok {
		hint = "did you mean " + near + "?"
	} else if len(known) > 0 {
		const most = 20
		hint = "it has " + strings.Join(known[:min(len(known), most)], ", ")
		if len(known) > most {
			hint += ", …"
		}
	}
	return nil, wrong(join(path, key), "there is no such field in %s; %s", of.FullName(), hint)
}

// member compiles the value of a field.
func (c *compiler) member(of protoreflect.MessageDescriptor, fd protoreflect.FieldDescriptor, m member, path string, depth int) error {
	if encoded, err := c.encode(of, m.key, m.raw); err == nil && !marked(m.raw) {
		c.literal(encoded)
		return nil
	}
	switch {
	case fd.IsMap():
		return c.mapping(of, fd, m, path, depth)
	case fd.IsList():
		list, ok := items(m.raw)
		if !ok {
			return wrong(path, "expected a list of %s, got %s", describe(fd), c.shown(m.raw))
		}
		for i, raw := range list {
			at := path + "[" + strconv.Itoa(i) + "]"
			if !marked(raw) {
				if encoded, err := c.encode(of, m.key, append(append(json.RawMessage("["), raw...), ']')); err == nil {
					c.literal(encoded)
					continue
				}
			}
			if err := c.single(fd, raw, at, depth); err != nil {
				return err
			}
		}
		return nil
	}
	return c.single(fd, m.raw, path, depth)
}

// mapping compiles a map, whose entries are messages of a key and a value.
func (c *compiler) mapping(of protoreflect.MessageDescriptor, fd protoreflect.FieldDescriptor, m member, path string, depth int) error {
	list, ok := members(m.raw)
	if !ok {
		return wrong(path, "expected an object of %s by %s, got %s", describe(fd.MapValue()), describe(fd.MapKey()), c.shown(m.raw))
	}
	for _, e := range list {
		at := path + "[" + strconv.Quote(e.key) + "]"
		if marked([]byte(e.key)) {
			return wrong(path, "a placeholder can't be a key")
		}
		if encoded, err := c.encode(of, m.key, object(e.key, e.raw)); err == nil && !marked(e.raw) {
			c.literal(encoded)
			continue
		}
		key := valueOf(fd.MapKey())
		encoded, ok := key.append(protowire.AppendTag(nil, fd.MapKey().Number(), key.wireType()), []byte(e.key))
		if !ok {
			return wrong(at, "the key must be %s", describe(fd.MapKey()))
		}
		c.open(fd)
		c.literal(encoded)
		if err := c.single(fd.MapValue(), e.raw, at, depth); err != nil {
			return err
		}
		c.close()
	}
	return nil
}

// single compiles one value that has placeholders in it, or that is wrong.
func (c *compiler) single(fd protoreflect.FieldDescriptor, raw []byte, path string, depth int) error {
	md := fd.Message()
	switch {
	case md == nil || md.FullName() == timestamp:
		return c.scalarOf(fd, raw, path)
	case isWrapper(md.FullName()):
		c.open(fd)
		err := c.scalarOf(md.Fields().ByNumber(1), raw, path)
		c.close()
		return err
	case isSpecial(md.FullName()) && marked(raw):
		return wrong(path, "%s can't have placeholders: its JSON is not that of its fields", md.FullName())
	case isSpecial(md.FullName()):
		return wrong(path, "expected %s, got %s", describe(fd), c.shown(raw))
	case fd.Kind() == protoreflect.GroupKind && marked(raw):
		return wrong(path, "a group can't have placeholders")
	}
	c.open(fd)
	if err := c.message(raw, md, path, depth+1); err != nil {
		return err
	}
	c.close()
	return nil
}

// scalarOf compiles a scalar with placeholders, or says what is wrong with it.
func (c *compiler) scalarOf(fd protoreflect.FieldDescriptor, raw []byte, path string) error {
	if !marked(raw) {
		return c.unfit(fd, raw, path)
	}
	v, err := c.scalar(raw)
	if err != nil {
		return wrong(path, "expected %s, got %s", describe(fd), c.shown(raw))
	}
	of := valueOf(fd)
	if !v.quoted {
		if of.isText() {
			inner, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(v.template, "{{"), " "), "json ")
			if !ok {
				return wrong(path, "expected %s: put the placeholder in quotes, or write {{json …}}", describe(fd))
			}
			v.template = "{{" + inner
		}
	}
	t, err := template.Compile(v.template, c.env)
	if err != nil {
		return wrong(path, "%w", err)
	}
	if err := of.fits(t, fd); err != nil {
		return wrong(path, "%v", err)
	}
	c.literal(protowire.AppendTag(nil, fd.Number(), of.wireType()))
	c.ops = append(c.ops, op{kind: opValue, text: t, value: of})
	c.uses = c.uses.Or(t.Uses())
	return nil
}

// unfit says what is wrong with a value.
func (c *compiler) unfit(fd protoreflect.FieldDescriptor, raw []byte, path string) error {
	hint := ""
	var text string
	if e := fd.Enum(); e != nil && json.Unmarshal(raw, &text) == nil {
		if near, ok := spelling.Nearest(text, enumNames(e)); ok {
			hint = "; did you mean " + near + "?"
		}
	}
	return wrong(path, "expected %s, got %s%s", describe(fd), c.shown(raw), hint)
}

// encode encodes one field of a message: what is on the wire one after the other is
// one message (protobuf.dev/programming-guides/encoding).
func (c *compiler) encode(of protoreflect.MessageDescriptor, key string, raw []byte) ([]byte, error) {
	msg := dynamicpb.NewMessage(of)
	if err := (protojson.UnmarshalOptions{AllowPartial: true, Resolver: c.types}).Unmarshal(object(key, raw), msg); err != nil {
		return nil, err
	}
	return proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(msg)
}

// object is an object of one member.
func object(key string, raw []byte) json.RawMessage {
	name, err := json.Marshal(key)
	if err != nil {
		panic("protomsg: a string is always JSON: " + err.Error())
	}
	return fmt.Appendf(nil, "{%s:%s}", name, raw)
}

// check renders a message and reads it back: required fields must be there, and what
// was made must be a message of the type.
func (c *compiler) check(of protoreflect.MessageDescriptor) error {
	wire, _ := c.Append(nil, nil, c.env.NewState(0, 0, 1))
	msg := dynamicpb.NewMessage(of)
	if err := (proto.UnmarshalOptions{AllowPartial: true, Resolver: c.types}).Unmarshal(wire, msg); err != nil {
		return fmt.Errorf("can't be made a message of type %s: %w", of.FullName(), err)
	}
	if err := proto.CheckInitialized(msg); err != nil {
		return fmt.Errorf("a required field is missing: %s", strings.TrimPrefix(strings.TrimPrefix(err.Error(), "proto: "), "proto:\u00a0"))
	}
	return nil
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
