// Package peers has the ends of simulated connections that aren't those of the program under
// test: how they have turns, read and write in pieces, and speak HTTP/2. What they say, and what
// they hold against what they hear, is the simulators'.
package peers
