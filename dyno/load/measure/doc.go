// Package measure is what was measured of a load: one-second [Window]s with their
// counts, errors by kind and histograms, how the generator and its machine fared
// meanwhile ([Health], [Others]), and what it can do at all ([Calibration]).
//
// It is plain data, as it is archived, with the sums and quantiles that follow from it;
// reading windows needs no engine. Instants are nanoseconds of CLOCK_MONOTONIC.
package measure
