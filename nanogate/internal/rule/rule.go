// Package rule has conditions over requests, which are checked when a file is read and
// evaluated by event loops. The language that they are written in is a driver, which
// registers itself when its package is linked in.
package rule

import (
	"errors"

	"dyno.example/nanogate/internal/driver"
	"dyno.example/nanogate/internal/request"
)

// MostText bounds an expression, in characters.
const MostText = 4096

// Guards are the guards whose claims expressions may name, by their names in files.
var Guards = []string{"mtls", "keys", "basic", "jwt", "oidc", "introspect"}

// Scope is what an expression may name in addition to the request.
type Scope struct {
	Guards []string // whose claims are available
	Params []string // names in the path that is matched, in their order
	Strip  []string // fields, in lower case, of which only those count that guards have put in
}

// Rule is a condition that was checked. It is for any number of goroutines.
type Rule struct {
	Text  string
	Scope Scope // nobody changes it
	Condition
}

// Condition is what an expression means.
type Condition interface {
	// Holds evaluates it. An error says why it can't be: a key that there is not, say. It
	// tells nothing of the request's values, but may name a key.
	Holds(*request.Request) (bool, error)
}

// ErrNotBool says that an expression came to something else than true or false.
var ErrNotBool = errors.New("it came to neither true nor false")

// Error is what is wrong with an expression.
type Error struct {
	Line, Column int // in the expression, from 1
	Message      string
	Hint         string // how to mend it; may be empty
}

func (e *Error) Error() string { return e.Message }

// Compiler checks an expression. What is wrong with it is an [*Error].
type Compiler func(text string, scope Scope) (Condition, error)

// Language is the import of the only driver there is.
const Language = "cel"

// ErrMissing says that no language is linked in.
var ErrMissing = errors.New("this program can't evaluate expressions, as nothing that does is linked in")

var compilers driver.Kind[Compiler]

// Register makes the driver known. It is for the init of its package.
func Register(c Compiler) { compilers.Register(Language, c) }

// Compile checks an expression. What is wrong with it is an [*Error]; it may be
// [ErrMissing] too.
func Compile(text string, scope Scope) (*Rule, error) {
	compile, linked := compilers.Find(Language)
	if !linked {
		return nil, ErrMissing
	}
	c, err := compile(text, scope)
	if err != nil {
		return nil, err
	}
	return &Rule{text, scope, c}, nil
}
