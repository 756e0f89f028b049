// Package capacity finds out how much a service can take: the highest rate at
// which an objective holds ([Search]), what more connections do to throughput
// ([Sweep]), and what happens beyond that and how long it lasts ([Overload]).
//
// The search is in the manner of MLRsearch (draft-ietf-bmwg-mlrsearch, "Multiple Loss
// Ratio Search"), with "the objective holds" in the place of a low loss ratio: a rate
// is classified by several trials as a lower bound of the capacity or an upper one
// ([Goal]), short trials come before long ones, and the result is a pair of rates,
// [holds, fails], and not one figure.
//
// The logic runs trials through the interface [Service]; [Generator] is the one that
// runs them with package load.
package capacity
