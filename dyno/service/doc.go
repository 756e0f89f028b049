// Package service starts what subjects stand on: databases, caches, brokers. A service is
// described by a [study.Service]; [Start] makes a running [Instance] of it, with a folder of
// its own, on a port and CPUs of its own, filled with its seed. A [Set] is all that a study
// has.
//
// Each process of a service runs under a keeper of package subject, which ends it and
// removes its folder when dyno is gone, however dyno went. What takes a driver (is it
// ready, fill it, reset it, read its statistics) is done by a helper program, the kit
// (dyno/subjects/go/servicekit), which is built as subjects are, so that dyno itself
// depends on no driver.
package service
