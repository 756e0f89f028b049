// Package profile is the rhythm of a load: a closed loop or an open one, its rates,
// phases and think times, and the schedule of arrivals that follows from them.
//
// A [Schedule] is a pure function of the [Profile], the seed and the part of the load:
// it has no clock, so that it is known before a load and is the same for every server.
// A [Timetable] is what a profile plans, stage by stage. Rates are requests per second,
// lengths are [time.Duration]s.
package profile
