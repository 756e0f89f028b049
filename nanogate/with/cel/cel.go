// Package cel has a gateway evaluate expressions in the Common Expression Language: rules: of
// a route. It is imported for that effect.
package cel

import _ "dyno.example/nanogate/internal/cel" // registers its driver
