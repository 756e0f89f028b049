package cli

import (
	"context"

	"github.com/spf13/cobra"
)

// Execute runs the command that the arguments name. Help about a command that there is
// not is wrong usage, with a hint at what was probably meant, where cobra would print the
// help of the command above it and say that all is well.
func Execute(ctx context.Context, root *cobra.Command) error {
	var unknown error
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if unknown = notBelow(cmd, cmd.Flags().Args()); unknown == nil {
			help(cmd, args)
		}
	})
	helpTakesCommands(root)
	if err := root.ExecuteContext(ctx); err != nil {
		return err
	}
	return unknown
}

// helpTakesCommands has "help WORDS" refuse what is no command.
func helpTakesCommands(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "help" {
			continue
		}
		run := cmd.Run
		cmd.Run = nil
		cmd.RunE = func(cmd *cobra.Command, words []string) error {
			if about, rest, err := root.Find(words); err == nil {
				if unknown := notBelow(about, rest); unknown != nil {
					return unknown
				}
			}
			run(cmd, words)
			return nil
		}
	}
}

// notBelow is the error for words after a command of commands, none of which they name.
func notBelow(cmd *cobra.Command, words []string) error {
	if len(words) == 0 || !cmd.HasSubCommands() {
		return nil
	}
	return UsageError(UnknownCommand(cmd, words[0]))
}
