// Command dyno is the command line of the performance laboratory.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"dyno.example/dyno/calibrate"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/subject"
)

func main() {
	if subject.IsKeeper(os.Args) {
		subject.KeeperMain()
		return
	}
	if calibrate.IsChild(os.Args) {
		calibrate.ChildMain()
		return
	}
	cli.HideArgs()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// A second Ctrl-C ends at once; subjects are ended by their keepers even so.
	context.AfterFunc(ctx, stop)
	err := cli.Execute(ctx, newRoot())
	os.Exit(cli.ExitCode(err, ctx.Err() != nil, cli.LangOf(os.Args[1:])))
}
