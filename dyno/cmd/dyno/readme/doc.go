// Package readme has the test that pastes the READMEs' commands into a shell. They wait
// for minutes, and the command's other tests don't have to wait for them: go test runs
// packages in parallel.
package readme
