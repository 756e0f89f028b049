// Package load puts a known load on an HTTP service and records what came back.
//
// A load is described by a [Spec]: where to send ([Spec.Target]), what to send (package
// request: a mix of [request.Request]s, whose templates may take rows from
// [request.Feed]s), and in which rhythm (package profile: a [profile.Profile]). [Run]
// executes it and returns a [Result] made of one-second [measure.Window]s (package
// measure), each with its counts and full histograms. A program that only reads
// measurements needs those packages, and not this one, which brings the engines.
//
// # In a test
//
// A load inside someone's go test takes some ten lines, see the examples. The
// server may be in the same process. Two loads may run at once; a result says
// what each did to the other, as its findings are about the machine too.
//
// # Loops
//
// In a closed loop each of N connections sends its next request when the response to
// the last one is in: the maximum. In an open loop requests start when the schedule
// says so, whatever the server does, and response times count from that intended start,
// so that a stall of the server is seen by all requests that were due meanwhile. The
// schedule is a pure function of profile and seed.
//
// # Units and clocks
//
// Instants are nanoseconds of CLOCK_MONOTONIC, which no setting of the clock
// moves; lengths are [time.Duration]s; rates are requests per second. Histograms
// hold nanoseconds, with three significant digits, one for each [measure.Clock]: there
// is never one unnamed latency. [measure.Window.Quantile] says whether a quantile is
// known or only a lower bound.
//
// # Guarantees
//
//   - Every arrival of an open loop is accounted for: it was completed, drained,
//     failed as one of the [measure.Errors], shed, or is unfinished. What was due by
//     the end is sent and waited for, up to [Spec.Drain]; for what is unfinished or
//     timed out, how long it had taken is known ([measure.Window.Waited]).
//   - A result has findings about its validity ([finding.Finding]). A window in which the
//     generator itself stood still for a tenth of a second, or in which
//     what piled up meanwhile was not gone yet, is invalid and in no total; a total
//     without a valid window is empty. See dyno/docs/findings.md.
//   - A response is taken as it comes: its size costs no memory, except where
//     expectations look at its body, up to 1 MiB.
//   - A request ends at the latest [Spec.Timeout] after it was sent, whatever the
//     server does. When Run returns, its connections are closed and its loops have
//     ended.
//
// # Engines
//
// On Linux one thread for each loop owns its connections, through io_uring where
// the kernel allows it and epoll else. A loop keeps a processor of Go's scheduler;
// while loads run GOMAXPROCS is raised, if need be, so that at least one remains
// for the rest of the program. Elsewhere the portable engine, a goroutine for each
// connection, records the same at several times the cost.
package load
