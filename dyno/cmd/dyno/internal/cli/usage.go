package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno.example/internal/i18n"
)

// ExactArgs asks for n arguments and says what they are.
func ExactArgs(n int, what i18n.Message) cobra.PositionalArgs { return ArgsBetween(n, n, what) }

// NoArgs asks for none.
func NoArgs() cobra.PositionalArgs { return ArgsBetween(0, 0, i18n.Message{}) }

// ArgsBetween asks for least to most arguments and says what they are.
func ArgsBetween(least, most int, what i18n.Message) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		if cmd.HasSubCommands() {
			return UsageError(UnknownCommand(cmd, args[0]))
		}
		if most == 0 {
			return UsageError(i18n.Errorf("cli.takes-no-argument", "%s takes no argument, got %q; see %s --help", cmd.CommandPath(), args[0], cmd.CommandPath()))
		}
		return UsageError(i18n.Errorf("cli.wrong-argument-count", "%s needs %s: got %d argument(s); see %s --help", cmd.CommandPath(), what, len(args), cmd.CommandPath()))
	}
}

// UnknownCommand is the error for a word that is not a command of cmd.
func UnknownCommand(cmd *cobra.Command, word string) error {
	hint := didYouMean(suggestions(cmd, word), "")
	if ours := foreignCommand(word); hint.IsZero() && !cmd.HasParent() && ours != "" {
		hint = i18n.New("cli.flags-here", "; here: %s", ours)
	}
	return i18n.Errorf("cli.unknown-command", "%s has no command %q%s; see %s --help", cmd.CommandPath(), word, hint, cmd.CommandPath())
}

// flagSuggestion names the flags most like one that does not exist.
func flagSuggestion(cmd *cobra.Command, err error) i18n.Message {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return i18n.Message{}
	}
	flags := &cobra.Command{} // cobra compares words only with the names of commands
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		flags.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	return didYouMean(suggestions(flags, unknown.GetSpecifiedName()), "--")
}

// suggestions are commands of cmd like the word, or that of one of them which has
// just this name: "machine tune" for "tune".
func suggestions(cmd *cobra.Command, word string) []string {
	for _, c := range cmd.Commands() {
		for _, below := range c.Commands() {
			if below.Name() == word {
				return []string{c.Name() + " " + word}
			}
		}
	}
	cmd.SuggestionsMinimumDistance = 2
	return cmd.SuggestionsFor(word)
}

func didYouMean(names []string, prefix string) i18n.Message {
	if len(names) == 0 {
		return i18n.Message{}
	}
	return i18n.New("cli.did-you-mean", "; did you mean %s?", prefix+strings.Join(names, " or "+prefix))
}

// CheckFlags checks what holds for the flags of every command.
func CheckFlags(cmd *cobra.Command, global *Global) error {
	if global.Lang != "en" && global.Lang != "zh" {
		return UsageError(i18n.Errorf("cli.unknown-language", "--lang %q is neither en nor zh", global.Lang))
	}
	return UsageError(cmd.ValidateFlagGroups())
}
