# Prepares what is built for fast starts, in $OUT: a formatted storage, which is the same for
# every broker of this version, and an archive of the classes that a broker loads as it
# starts (class data sharing). $OUT/lib is there.
set -eu
cd "$OUT"
port=$((20000 + $$ % 10000))
cat >server.properties <<END
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$((port + 10000))
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$((port + 10000))
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$PWD/data
END
java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "lib/*" kafka.tools.StorageTool format --cluster-id dyno-dyno-dyno-dyno-00 --config server.properties >format.log 2>&1 || {
	cat format.log
	exit 1
}
cp -R data formatted
# Without the archive a broker starts all the same: that it can't be made is no failure.
java -XX:ArchiveClassesAtExit=classes.jsa -Dorg.apache.logging.log4j.level=INFO -Xms256m -Xmx512m -cp "lib/*" kafka.Kafka server.properties >start.log 2>&1 &
broker=$!
trap 'kill -KILL $broker 2>/dev/null || true' EXIT
seconds=0
while [ $seconds -lt 120 ] && kill -0 $broker 2>/dev/null; do
	if grep -q 'Kafka Server started' start.log; then
		kill -TERM $broker
		wait $broker || true
		break
	fi
	sleep 1
	seconds=$((seconds + 1))
done
rm -rf data server.properties format.log start.log
