package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// sink is where lines go.
type sink interface {
	// write returns when the lines are there. Several goroutines may write at once.
	write(lines []byte) error
	close()
}

func open(s settings) (sink, error) {
	switch {
	case s.how == "none":
		return nowhere{}, nil
	case s.to == "kafka":
		return openTopic(s.kafka)
	case s.to == "stalling":
		return openStalling()
	case s.to == "disk":
		return openFile(syscall.O_DSYNC)
	}
	return openFile(0)
}

type nowhere struct{}

func (nowhere) write([]byte) error { return nil }
func (nowhere) close()             {}

// file is a log file, one write(2) for each write.
type file struct{ *os.File }

// openFile makes a log file that has no name any more: however the program ends, nothing is left of it.
func openFile(flags int) (file, error) {
	folder, err := os.MkdirTemp("", "accesslog-")
	if err != nil {
		return file{}, err
	}
	defer os.RemoveAll(folder)
	f, err := os.OpenFile(filepath.Join(folder, "access.log"), os.O_CREATE|os.O_APPEND|os.O_RDWR|flags, 0o600)
	return file{f}, err
}

func (f file) write(lines []byte) error { _, err := f.Write(lines); return err }
func (f file) close()                   { f.Close() }

// topicName is where lines go in Kafka, each as a record.
const topicName = "access-log"

type topic struct{ *kgo.Client }

// openTopic connects to a cluster that has the topic. A batch that is not there after 10 s has failed.
func openTopic(brokers string) (topic, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers), kgo.DefaultProduceTopic(topicName),
		kgo.ProducerLinger(0), // who waits for a line waits for nobody else's; batches are the ring's
		kgo.RecordDeliveryTimeout(10*time.Second))
	if err != nil {
		return topic{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return topic{client}, client.Ping(ctx)
}

func (t topic) write(lines []byte) error {
	lines = bytes.Clone(lines) // the client may keep them for a while after an error
	records := make([]kgo.Record, bytes.Count(lines, newline))
	all := make([]*kgo.Record, len(records))
	i := 0
	for line := range bytes.Lines(lines) {
		records[i].Value = line[:len(line)-1]
		all[i] = &records[i]
		i++
	}
	return t.ProduceSync(context.Background(), all...).FirstErr()
}

func (t topic) close() { t.Close() }
