package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// redisServer is a Redis server, over one connection.
type redisServer struct{ client *redis.Client }

func openRedis(url string) (*redisServer, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, err
	}
	options.PoolSize, options.MaxRetries = 1, -1
	options.DisableIdentity = true
	redis.SetLogger(silent{}) // what it says of a connection is in the errors too
	return &redisServer{redis.NewClient(options)}, nil
}

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

func (r *redisServer) ready(ctx context.Context) error { return r.client.Ping(ctx).Err() }

// run executes commands, one a line, as redis-cli takes them: words, those with spaces in
// quotes.
func (r *redisServer) run(ctx context.Context, text string) error {
	pipe := r.client.Pipeline()
	var lines []int // of the commands in the pipeline
	for number, line := range strings.Split(text, "\n") {
		words, err := split(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", number+1, err)
		}
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		args := make([]any, len(words))
		for i, word := range words {
			args[i] = word
		}
		pipe.Do(ctx, args...)
		lines = append(lines, number+1)
		if pipe.Len() >= 1000 {
			if err := sent(ctx, pipe, lines); err != nil {
				return err
			}
			lines = lines[:0]
		}
	}
	return sent(ctx, pipe, lines)
}

// sent sends what is in the pipeline, and returns the first error with its command and the
// line that has it.
func sent(ctx context.Context, pipe redis.Pipeliner, lines []int) error {
	commands, err := pipe.Exec(ctx)
	for i, c := range commands {
		if c.Err() != nil && c.Err() != redis.Nil {
			return fmt.Errorf("line %d: %s: %w", lines[i], c.Name(), c.Err())
		}
	}
	if err == redis.Nil {
		return nil
	}
	return err
}

// split cuts a line into words, of which some are quoted as Go quotes.
func split(line string) (words []string, err error) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] == '"' {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, fmt.Errorf("a quotation has no end: %.40s", line)
			}
			word, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, err
			}
			words, line = append(words, word), line[len(quoted):]
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		words, line = append(words, word), rest
	}
	return words, nil
}

func (r *redisServer) do(ctx context.Context, what string, _ map[string]string) error {
	if what == "reset" {
		return r.client.FlushAll(ctx).Err()
	}
	return fmt.Errorf("Redis has no %q", what)
}

func (r *redisServer) version(ctx context.Context) (string, error) {
	info, err := r.info(ctx, "server")
	return info["redis_version"], err
}

// info reads INFO, of all or of one section.
func (r *redisServer) info(ctx context.Context, section ...string) (map[string]string, error) {
	text, err := r.client.Info(ctx, section...).Result()
	if err != nil {
		return nil, err
	}
	values := make(map[string]string)
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			values[name] = value
		}
	}
	return values, nil
}

func (r *redisServer) read(ctx context.Context) (reading, error) {
	info, err := r.info(ctx)
	if err != nil {
		return reading{}, err
	}
	pick := func(names map[string]string) map[string]float64 {
		values := make(map[string]float64)
		for of, name := range names {
			if v, err := strconv.ParseFloat(info[of], 64); err == nil {
				values[name] = v
			}
		}
		return values
	}
	return reading{
		Counters: pick(map[string]string{
			"total_commands_processed": "commands", "keyspace_hits": "hits", "keyspace_misses": "misses", "evicted_keys": "evicted",
			"expired_keys": "expired", "total_net_input_bytes": "bytes_in", "total_net_output_bytes": "bytes_out",
			"total_error_replies": "errors", "total_connections_received": "connections_opened",
		}),
		Gauges: pick(map[string]string{
			"used_memory": "memory_bytes", "mem_fragmentation_ratio": "fragmentation", "connected_clients": "connections", "blocked_clients": "blocked",
		}),
	}, nil
}
