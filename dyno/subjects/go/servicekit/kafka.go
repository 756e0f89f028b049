package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// kafka is a Kafka cluster, as its admin protocol shows it: what brokers have beyond that
// is in their JMX, which takes a Java program to read.
type kafka struct{ admin *kadm.Client }

func openKafka(address string) (*kafka, error) {
	brokers := address
	if u, err := url.Parse(address); err == nil && u.Scheme == "kafka" {
		brokers = u.Host
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(brokers, ",")...), kgo.RequestRetries(0))
	if err != nil {
		return nil, err
	}
	return &kafka{kadm.NewClient(client)}, nil
}

func (k *kafka) ready(ctx context.Context) error {
	brokers, err := k.admin.ListBrokers(ctx)
	if err == nil && len(brokers) == 0 {
		err = errors.New("it has no brokers yet")
	}
	return err
}

func (k *kafka) version(ctx context.Context) (string, error) {
	versions, err := k.admin.ApiVersions(ctx)
	if err != nil {
		return "", err
	}
	for _, v := range versions {
		return strings.TrimPrefix(v.VersionGuess(), "v"), v.Err
	}
	return "", errors.New("no broker says its version")
}

func (k *kafka) run(context.Context, string) error {
	return errors.New("Kafka has no language to seed it with: use topics, and a program that produces (run)")
}

// do creates topics, or recreates them: args has the number of partitions by topic.
func (k *kafka) do(ctx context.Context, what string, args map[string]string) error {
	topics := slices.Sorted(maps.Keys(args))
	switch what {
	case "create":
	case "reset":
		gone, err := k.admin.DeleteTopics(ctx, topics...)
		if err != nil {
			return err
		}
		for _, t := range gone {
			if t.Err != nil && !errors.Is(t.Err, kerr.UnknownTopicOrPartition) {
				return fmt.Errorf("topic %s: %w", t.Topic, t.Err)
			}
		}
	default:
		return fmt.Errorf("Kafka has no %q", what)
	}
	for _, topic := range topics {
		if err := k.create(ctx, topic, args[topic]); err != nil {
			return fmt.Errorf("topic %s: %w", topic, err)
		}
	}
	return nil
}

// create makes a topic. One that has just been deleted may be there for a while.
func (k *kafka) create(ctx context.Context, topic, partitions string) error {
	n, err := strconv.ParseInt(partitions, 10, 32)
	if err != nil {
		return err
	}
	for {
		_, err := k.admin.CreateTopic(ctx, int32(n), 1, nil, topic)
		if !errors.Is(err, kerr.TopicAlreadyExists) || ctx.Err() != nil {
			return err
		}
		if err := wait(ctx); err != nil {
			return errors.Join(kerr.TopicAlreadyExists, err)
		}
	}
}

func (k *kafka) read(ctx context.Context) (reading, error) {
	r := reading{Counters: make(map[string]float64), Gauges: make(map[string]float64)}
	ends, err := k.admin.ListEndOffsets(ctx)
	if err != nil {
		return r, err
	}
	messages, partitions := 0.0, 0.0
	ends.Each(func(o kadm.ListedOffset) {
		if o.Err == nil && !strings.HasPrefix(o.Topic, "__") {
			messages += float64(o.Offset)
			partitions++
		}
	})
	r.Counters["messages"], r.Gauges["partitions"] = messages, partitions
	dirs, err := k.admin.DescribeAllLogDirs(ctx, nil)
	if err != nil {
		return r, err
	}
	size := 0.0
	dirs.Each(func(d kadm.DescribedLogDir) { size += float64(d.Size()) })
	r.Gauges["log_bytes"] = size
	return r, nil
}
