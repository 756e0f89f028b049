// Package otlp has a gateway tell a collector of traces and metrics: otlp: of trace and of
// metrics. It is imported for that effect.
package otlp

import _ "dyno.example/nanogate/internal/otlp" // registers its driver
