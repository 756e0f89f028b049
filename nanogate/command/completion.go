//go:build linux

package command

import "github.com/spf13/cobra"

// configFiles completes the names of configuration files.
func configFiles(cmd *cobra.Command, flag string) {
	_ = cmd.MarkFlagFilename(flag, "yaml", "yml") // fails only for a flag that isn't there
}

// completeFile completes the one file that a command takes.
func completeFile(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeAdmin completes where gateways are looked at.
func completeAdmin(cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("admin", cobra.FixedCompletions([]string{"127.0.0.1:9901", "unix:/run/nanogate.sock"}, cobra.ShellCompDirectiveNoFileComp))
}
