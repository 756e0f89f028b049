package middleware

import (
	"fmt"

	"dyno.example/nano/wire/http1"
)

// mustSend panics if a header field that a config makes can't be sent, as one with
// a line break in it: every request would fail by it.
func mustSend(config, name, value string) {
	if !http1.ValidToken(name) || !http1.ValidFieldValue(value) {
		panic(fmt.Sprintf("middleware: %s: %q: %q can't be sent as a header field", config, name, value))
	}
}
