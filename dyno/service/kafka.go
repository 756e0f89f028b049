package service

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
)

// kafkaScript serves a storage that was formatted when Kafka was built, as one node that is
// broker and controller. The archive of classes is of a class path with these very names; java
// does without where it has none that fits.
const kafkaScript = `set -eu
umask 077
cat >server.properties <<END
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$CONTROLLER
listeners=PLAINTEXT://127.0.0.1:$PORT,CONTROLLER://127.0.0.1:$CONTROLLER
advertised.listeners=PLAINTEXT://127.0.0.1:$PORT
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$PWD/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
END
printf '%s\n' "$SETTINGS" >>server.properties
cp -R "$KAFKA/formatted" data
ln -s "$KAFKA/lib" lib
exec java -XX:SharedArchiveFile="$KAFKA/classes.jsa" -Xms256m -Xmx${HEAP} -cp "lib/*" kafka.Kafka server.properties
`

func (in *Instance) startKafka(ctx context.Context) error {
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			return Missing(study.Kafka)
		}
	}
	folder, err := in.host.build(ctx, kafkaServer())
	if err != nil {
		return err
	}
	controller, err := subject.FreePort()
	if err != nil {
		return err
	}
	var settings []string
	for _, name := range slices.Sorted(maps.Keys(in.def.Settings)) {
		settings = append(settings, fmt.Sprintf("%s=%s", name, in.def.Settings[name]))
	}
	heap := "512m"
	if in.def.Env["KAFKA_HEAP"] != "" {
		heap = in.def.Env["KAFKA_HEAP"]
	}
	// Its own way to stop hands partitions over, and a single broker has nobody to hand them to.
	p, err := in.run(ctx, recipe{
		name: in.def.Name, shell: kafkaScript, stop: syscall.SIGKILL, kind: study.Kafka, within: time.Minute, grace: time.Second,
		env:     map[string]string{"KAFKA": folder, "CONTROLLER": strconv.Itoa(controller), "SETTINGS": strings.Join(settings, "\n"), "HEAP": heap},
		address: func(port int) string { return local("kafka://", port) },
	})
	if err != nil {
		return err
	}
	in.env[in.def.As] = local("", p.in.Port())
	if in.version, err = p.kit.version(ctx); err != nil {
		return err
	}
	if err := in.topics(ctx, "create"); err != nil {
		return err
	}
	return in.seed(ctx, study.Kafka, p.kit.url)
}

// topics creates the topics, or recreates them.
func (in *Instance) topics(ctx context.Context, do string) error {
	if len(in.def.Topics) == 0 {
		return nil
	}
	args := make(map[string]string)
	for topic, partitions := range in.def.Topics {
		args[topic] = strconv.Itoa(partitions)
	}
	return in.parts[0].kit.do(ctx, order{Do: do, Args: args, Limit: seedLimit})
}

func (in *Instance) resetKafka(ctx context.Context) error {
	if err := in.topics(ctx, "reset"); err != nil {
		return err
	}
	return in.seed(ctx, study.Kafka, in.parts[0].kit.url)
}
