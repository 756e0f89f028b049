package main

import (
	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/archivecmd"
	"dyno.example/dyno/cmd/dyno/internal/capacitycmd"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/comparecmd"
	"dyno.example/dyno/cmd/dyno/internal/explaincmd"
	"dyno.example/dyno/cmd/dyno/internal/loadcmd"
	"dyno.example/dyno/cmd/dyno/internal/machinecmd"
	"dyno.example/dyno/cmd/dyno/internal/runcmd"
	"dyno.example/dyno/cmd/dyno/internal/servicecmd"
	"dyno.example/dyno/cmd/dyno/internal/studycmd"
	"dyno.example/dyno/cmd/dyno/internal/subjectcmd"
	"dyno.example/internal/i18n"
)

func newRoot() *cobra.Command { return newRootTelling(nil) }

// newRootTelling is newRoot with a function that is called with each text of the help that
// has no translation.
func newRootTelling(told func(id, english string, has bool)) *cobra.Command {
	var global cli.Global
	root := &cobra.Command{
		Use:   "dyno",
		Short: "A performance laboratory for HTTP services",
		Long: `dyno puts HTTP services under a known load, measures both ends on one clock,
says what the numbers are worth, and keeps the evidence.

  dyno run go-frameworks --quick   compare Go frameworks, with a report
  dyno load URL                    how fast is this, roughly, right now?
  dyno list                        what was measured before?`,
		Version:       cli.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.UsageError(cli.UnknownCommand(cmd, args[0]))
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return cli.CheckFlags(cmd, &global) },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if words := cmd.Flags().Args(); cmd == root && len(words) > 0 {
			return cli.UsageError(cli.UnknownCommand(cmd, words[0])) // whose flags they may be
		}
		return cli.UsageError(i18n.Errorf("dyno.see-help", "%w; see %s --help", cli.FlagError(cmd, err), cmd.CommandPath()))
	})
	flags := root.PersistentFlags()
	flags.BoolVarP(&global.Quiet, "quiet", "q", false, "print results only, no progress")
	flags.BoolVar(&global.Plain, "plain", false, "print plain lines instead of a live display")
	flags.StringVar(&global.Lang, "lang", "en", "language of reports, also in the terminal: en or zh")
	flags.StringVar(&global.Archive, "archive", "", "where runs are kept: a folder, or s3://bucket/prefix?region=…&endpoint=… (default: DYNO_ARCHIVE, or the folder runs in DYNO_HOME)")
	root.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions([]string{"en", "zh"}, cobra.ShellCompDirectiveNoFileComp))
	root.AddCommand(
		runcmd.NewRun(&global), loadcmd.New(&global), loadcmd.NewNullServer(), capacitycmd.NewCapacity(&global), capacitycmd.NewKnee(&global), capacitycmd.NewOverload(&global), runcmd.NewUp(&global),
		studycmd.NewStudies(), subjectcmd.New(&global), servicecmd.New(&global), studycmd.NewStudy(&global),
		studycmd.NewClaims(&global), studycmd.NewPublish(&global), studycmd.NewResults(&global),
		archivecmd.NewList(&global), archivecmd.NewShow(&global), archivecmd.NewReport(&global), explaincmd.New(&global), explaincmd.NewProfile(&global), archivecmd.NewVerify(&global), archivecmd.NewPush(&global), archivecmd.NewPull(&global), archivecmd.NewRemove(&global),
		machinecmd.NewMachine(&global), comparecmd.NewCompare(&global), comparecmd.NewBaseline(&global), comparecmd.NewGate(&global), comparecmd.NewHistory(&global),
	)
	cli.TranslateHelp(root, &global, told)
	return root
}
