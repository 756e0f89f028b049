package config

import _ "dyno.example/nanogate/internal/cel" // what rules are written in
