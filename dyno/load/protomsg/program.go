package protomsg

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"dyno.example/dyno/load/template"
)

// Program makes the messages of a text. It is read-only and may be shared.
type Program struct {
	ops  []op
	uses template.Uses
}

type opKind uint8

const (
	opLiteral opKind = iota // bytes as they are
	opValue                 // the value of a template; its tag is in the literal before it
	opOpen                  // a message begins, whose length is not known
	opClose                 // it ends
)

// op is one step of a program.
type op struct {
	kind  opKind
	bytes []byte             // opLiteral
	text  *template.Template // opValue …
	value wireValue          // … and how it is put on the wire
}

// Uses returns what a message takes from a state.
func (p *Program) Uses() template.Uses { return p.uses }

// Constant reports whether all messages are the same.
func (p *Program) Constant() bool {
	for i := range p.ops {
		if p.ops[i].kind == opValue {
			if _, ok := p.ops[i].text.Constant(); !ok {
				return false
			}
		}
	}
	return true
}

// Append appends a message with what s has for the current request. scratch is memory
// for the texts of values. Both are returned, grown if they were too small; nothing
// else is allocated.
func (p *Program) Append(dst, scratch []byte, s *template.State) (wire, used []byte) {
	var stack [maxDepth + 2]int // where the messages begin that have not ended: entries of maps are messages too
	depth := 0
	for i := range p.ops {
		switch o := &p.ops[i]; o.kind {
		case opLiteral:
			dst = append(dst, o.bytes...)
		case opValue:
			scratch = o.text.Append(scratch[:0], s)
			dst, _ = o.value.append(dst, scratch) // what has no value was refused by Compile
		case opOpen:
			stack[depth] = len(dst)
			depth++
		case opClose:
			depth--
			dst = insertLength(dst, stack[depth])
		}
	}
	return dst, scratch
}

// literal adds bytes; those in a row become one.
func (p *Program) literal(b []byte) {
	if n := len(p.ops); n > 0 && p.ops[n-1].kind == opLiteral {
		p.ops[n-1].bytes = append(p.ops[n-1].bytes, b...)
		return
	}
	p.ops = append(p.ops, op{kind: opLiteral, bytes: append([]byte(nil), b...)})
}

// open begins a message that is a field's value; close ends it.
func (p *Program) open(fd protoreflect.FieldDescriptor) {
	p.literal(protowire.AppendTag(nil, fd.Number(), protowire.BytesType))
	p.ops = append(p.ops, op{kind: opOpen})
}

func (p *Program) close() { p.ops = append(p.ops, op{kind: opClose}) }
