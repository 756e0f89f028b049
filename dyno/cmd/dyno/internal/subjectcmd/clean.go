package subjectcmd

import (
	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/present"
	"dyno.example/internal/i18n"
)

func newClean(global *cli.Global, from *string) *cobra.Command {
	return &cobra.Command{
		Use:   "clean [NAME|LANGUAGE…]",
		Short: "Remove what was built of subjects: of those named, or of all",
		Long: `Removes builds from the cache: of the subjects that are named, or all of them. They are
built again when they are next needed. Don't do so while a study runs.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			b, err := newBench(global, *from)
			if err != nil {
				return err
			}
			var names []string
			if len(args) > 0 {
				subjects, err := b.named(args)
				if err != nil {
					return err
				}
				for _, m := range subjects {
					names = append(names, m.Name)
				}
			}
			n, bytes, err := b.builder.Clean(names...)
			global.Out().Print(i18n.New("subjectcmd.removed", "removed %s, %s", i18n.Plural(n, i18n.New("count.build", "%d build", n), i18n.New("count.builds", "%d builds", n)), present.Bytes(bytes)))
			return err
		},
		ValidArgsFunction: cli.CompleteSubjects,
	}
}
