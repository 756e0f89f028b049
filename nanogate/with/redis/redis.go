// Package redis has gateways share limits and logouts in Redis: redis: of a limit and of a
// login. It is imported for that effect.
package redis

import _ "dyno.example/nanogate/internal/redis" // registers its driver
