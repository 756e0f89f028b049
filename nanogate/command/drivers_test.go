//go:build linux

package command

import _ "dyno.example/nanogate/with/all" // as nanogate/cmd/nanogate has them
