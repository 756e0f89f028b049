package service

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"

	"dyno.example/dyno/study"
)

// redisScript serves from memory only, unless the settings say otherwise.
const redisScript = `set -eu
umask 077
printf '%s\nport %s\n' "$CONFIG" "$PORT" >redis.conf
unset CONFIG
exec redis-server redis.conf
`

func (in *Instance) startRedis(ctx context.Context) error {
	if _, err := exec.LookPath("redis-server"); err != nil {
		return Missing(study.Redis)
	}
	password := in.newSecret()
	config := redisConfig(password)
	for _, name := range slices.Sorted(maps.Keys(in.def.Settings)) {
		config = append(config, fmt.Sprintf("%s %s", name, in.def.Settings[name]))
	}
	address := func(port int) string { return local("redis://:"+password+"@", port) + "/0" }
	p, err := in.run(ctx, recipe{
		name: in.def.Name, shell: redisScript, env: map[string]string{"CONFIG": strings.Join(config, "\n")},
		kind: study.Redis, address: address, within: 10 * time.Second, grace: time.Second,
	})
	if err != nil {
		return err
	}
	in.env[in.def.As] = address(p.in.Port())
	if in.version, err = p.kit.version(ctx); err != nil {
		return err
	}
	return in.seed(ctx, study.Redis, p.kit.url)
}

// redisConfig is what dyno itself sets in addition to the port; see [study.OwnSettings].
func redisConfig(password string) []string {
	return []string{"bind 127.0.0.1", "daemonize no", "dir .", `save ""`, "requirepass " + password}
}

func (in *Instance) resetRedis(ctx context.Context) error {
	if err := in.parts[0].kit.do(ctx, order{Do: "reset", Limit: seedLimit}); err != nil {
		return err
	}
	return in.seed(ctx, study.Redis, in.parts[0].kit.url)
}
