package expect

import (
	"errors"
	"fmt"
	"strings"

	"dyno.example/internal/spelling"
	"dyno.example/nano/wire/grpc"
)

// Codes is a set of statuses of gRPC.
type Codes uint32

// Has reports whether a code is in the set.
func (c Codes) Has(code grpc.Code) bool { return int(code) < grpc.Codes && c&(1<<code) != 0 }

// String returns the set as it can be written in an expectation.
func (c Codes) String() string {
	var names []string
	for code := range grpc.Code(grpc.Codes) {
		if c.Has(code) {
			names = append(names, code.String())
		}
	}
	return strings.Join(names, " ")
}

// parse adds a list of names such as "OK NOT_FOUND".
func (c *Codes) parse(list string) error {
	items := strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	if len(items) == 0 {
		return errors.New("names no status; write it as grpc OK or grpc OK NOT_FOUND")
	}
	for _, item := range items {
		code, ok := grpc.NamedCode(strings.ToUpper(item))
		if !ok {
			var known []string
			for code := range grpc.Code(grpc.Codes) {
				known = append(known, code.String())
			}
			hint := "expected " + strings.Join(known, ", ")
			if near, ok := spelling.Nearest(item, known); ok {
				hint = "did you mean " + near + "?"
			}
			return fmt.Errorf("%q is no status of gRPC; %s", item, hint)
		}
		*c |= 1 << code
	}
	return nil
}

// Codes returns the statuses of gRPC that are expected: OK unless others are named.
func (e *Expect) Codes() Codes {
	if e.codes == 0 {
		return 1 << grpc.OK
	}
	return e.codes
}

// SaysStatus and SaysCode report whether a line names statuses of HTTP, or of gRPC.
func (e *Expect) SaysStatus() bool { return e.saysStatus }
func (e *Expect) SaysCode() bool   { return e.codes != 0 }
