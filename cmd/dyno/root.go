package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newRoot() *cobra.Command {
	var global globalFlags
	root := &cobra.Command{
		Use:   "dyno",
		Short: "A performance laboratory for HTTP services",
		Long: `dyno puts HTTP services under a known load, measures both ends on one clock,
says what the numbers are worth, and keeps the evidence.

  dyno run go-frameworks --quick   compare Go frameworks, with a report
  dyno load URL                    how fast is this, roughly, right now?
  dyno list                        what was measured before?`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError(unknownCommand(cmd, args[0]))
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return checkFlags(cmd, &global) },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if words := cmd.Flags().Args(); cmd == root && len(words) > 0 {
			return usageError(unknownCommand(cmd, words[0])) // whose flags they may be
		}
		return usageError(fmt.Errorf("%w; see %s --help", flagError(cmd, err), cmd.CommandPath()))
	})
	flags := root.PersistentFlags()
	flags.BoolVarP(&global.quiet, "quiet", "q", false, "print results only, no progress")
	flags.BoolVar(&global.plain, "plain", false, "print plain lines instead of a live display")
	flags.StringVar(&global.lang, "lang", "en", "language of reports, also in the terminal: en or zh")
	flags.StringVar(&global.archive, "archive", "", "where runs are kept: a folder, or s3://bucket/prefix?region=…&endpoint=… (default: DYNO_ARCHIVE, or the folder runs in DYNO_HOME)")
	root.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions([]string{"en", "zh"}, cobra.ShellCompDirectiveNoFileComp))
	root.AddCommand(
		newRun(&global), newLoad(&global), newCapacity(&global), newKnee(&global), newOverload(&global), newUp(&global),
		newStudies(), newSubjects(), newStudy(&global),
		newClaims(), newPublish(&global),
		newList(&global), newShow(&global), newReport(&global), newVerify(&global), newPush(&global), newPull(&global), newRemove(&global),
		newMachine(&global), newCompare(&global), newBaseline(&global), newGate(&global), newHistory(&global),
	)
	return root
}
