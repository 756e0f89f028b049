package request

import "dyno.example/dyno/load/expect"

// Redacted stands for a value that must not be shown or archived.
const Redacted = "***"

// IsSecret reports whether the name of a header or environment variable says
// that its value is a secret.
func IsSecret(name string) bool { return expect.IsSecret(name) }
