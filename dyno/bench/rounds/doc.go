// Package rounds is what programs share that compare others in interleaved
// rounds: the record of all trials, what else the machine did meanwhile, and
// tables and ratios with their intervals.
package rounds
