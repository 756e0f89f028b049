package nano

import "strconv"

// View is a piece of the request as it lies in the read buffer. It is valid
// until the handler returns and must not be changed. string(v) copies; using it
// only to compare, as in string(v) == "x", or to look up a map, does not
// allocate.
type View []byte

// Copy returns the bytes as a string that stays.
func (v View) Copy() string { return string(v) }

// String is Copy; it makes a View print as text.
func (v View) String() string { return string(v) }

// Int reads a decimal integer.
func (v View) Int() (int, error) { return strconv.Atoi(string(v)) }
