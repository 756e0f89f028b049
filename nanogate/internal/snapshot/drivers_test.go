package snapshot

import (
	_ "dyno.example/nanogate/internal/cel"   // what rules are written in
	_ "dyno.example/nanogate/internal/redis" // what keeps limits of several gateways
)
