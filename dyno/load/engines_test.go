package load

import (
	"flag"
	"os"
	"testing"

	"dyno.example/dyno/load/internal/engine"
)

// Most tests wait for most of their time, so that some more run at the same time than
// there are CPUs; not many more, as those that hold CPUs would keep the others from theirs.
func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "6")
	os.Exit(m.Run())
}

// eachEngine runs a test on every engine this system has, in parallel.
func eachEngine(t *testing.T, test func(t *testing.T, engine string)) {
	t.Helper()
	together(t, engines(), test)
}

// eachHTTP2Engine is eachEngine, for those that speak HTTP/2.
func eachHTTP2Engine(t *testing.T, test func(t *testing.T, engine string)) {
	t.Helper()
	together(t, engines(), test)
}

// eachLoop is eachEngine, for event loops of every kind.
func eachLoop(t *testing.T, test func(t *testing.T, engine string)) {
	t.Helper()
	together(t, loops(), test)
}

// eachEngineAlone and eachLoopAlone run a test on one engine after the other: one that
// counts what the whole process has, such as memory and open files.
func eachEngineAlone(t *testing.T, test func(t *testing.T, engine string)) {
	t.Helper()
	alone(t, engines(), test)
}

func eachLoopAlone(t *testing.T, test func(t *testing.T, engine string)) {
	t.Helper()
	alone(t, loops(), test)
}

func engines() []string { return append(loops(), "portable") }

// loops are the kinds of event loops of this system.
func loops() []string {
	switch best, _ := engine.Pick("", false); best {
	case "portable":
		return nil
	case "epoll":
		return []string{"epoll"}
	default:
		return []string{best, "epoll"}
	}
}

// together ends when the tests on all engines have.
func together(t *testing.T, engines []string, test func(t *testing.T, engine string)) {
	t.Helper()
	t.Run("on", func(t *testing.T) {
		for _, engine := range engines {
			t.Run(engine, func(t *testing.T) {
				t.Parallel()
				test(t, engine)
			})
		}
	})
}

func alone(t *testing.T, engines []string, test func(t *testing.T, engine string)) {
	t.Helper()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) { test(t, engine) })
	}
}
