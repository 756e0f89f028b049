package archivecmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/library"
	"dyno.example/internal/i18n"
)

func NewPush(global *cli.Global) *cobra.Command {
	return &cobra.Command{
		Use:   "push RUN [ARCHIVE]",
		Short: "Copy a run of this machine into a bucket or another folder",
		Long: `Copy a run of this machine into ARCHIVE, a bucket's URL or a folder, or into the
bucket that --archive or DYNO_ARCHIVE names. The run is listed there only when
all of it is there. A push that failed can be repeated: what is there is not sent
again. Credentials come from the environment or the AWS configuration files.`,
		Example: "  dyno push latest 's3://lab/runs?region=eu-central-1'\n  dyno push latest 's3://lab/runs?endpoint=https://minio.example:9000'",
		Args:    cli.ArgsBetween(1, 2, i18n.New("archivecmd.run-and-destination", "a run's ID, or latest, and where to copy it")),
		RunE: func(cmd *cobra.Command, args []string) error {
			from, to, err := transfer(global, args)
			if err != nil {
				return err
			}
			return push(cmd.Context(), global, args[0], from, to)
		},
		ValidArgsFunction: library.CompleteRuns,
	}
}

func NewPull(global *cli.Global) *cobra.Command {
	return &cobra.Command{
		Use:   "pull RUN [ARCHIVE]",
		Short: "Copy a run from a bucket or another folder to this machine",
		Long: `Copy a run from ARCHIVE, a bucket's URL or a folder, or from the bucket that
--archive or DYNO_ARCHIVE names, to the runs of this machine. RUN can also be a
URL with the run at its end. What arrives is held to the run's address.`,
		Example: "  dyno pull latest 's3://lab/runs?region=eu-central-1'\n  dyno pull 's3://lab/runs/20261121-075328-go-frameworks-52f0?region=eu-central-1'",
		Args:    cli.ArgsBetween(1, 2, i18n.New("archivecmd.run-and-source", "a run's ID, or latest, and where it is")),
		RunE: func(cmd *cobra.Command, args []string) error {
			return pull(cmd.Context(), global, args)
		},
	}
}

// transfer returns the folder of this machine's runs and the other archive that
// the arguments after the run's, or the flags, name.
func transfer(g *cli.Global, args []string) (own archive.Store, other archive.Location, err error) {
	if own, err = library.Folder(g); err != nil {
		return own, other, err
	}
	if len(args) > 1 {
		if other, err = archive.ParseLocation(args[1]); err != nil {
			err = cli.UsageError(i18n.Errorf("archivecmd.other-archive", "the archive to copy to or from: %w", err))
		}
		return own, other, err
	}
	if other, err = library.Location(g); err == nil && !other.IsBucket() {
		err = cli.UsageError(i18n.Errorf("archivecmd.other-archive-missing", "no other archive named: add s3://bucket/prefix, a folder, or set DYNO_ARCHIVE to a bucket"))
	}
	return own, other, err
}

// push copies the run that ref means from the folder to the other archive.
func push(ctx context.Context, global *cli.Global, ref string, from archive.Store, to archive.Location) error {
	r, err := from.Record(ref)
	if err != nil {
		return err
	}
	lib, err := library.At(ctx, to)
	if err != nil {
		return err
	}
	return library.Send(ctx, global, r, lib, global.Out())
}

func pull(ctx context.Context, global *cli.Global, args []string) error {
	ref := args[0]
	from, inside, isURL, err := archive.ParseRun(ref)
	if err != nil {
		return cli.UsageError(i18n.Errorf("library.runs-url", "the run's URL: %w", err))
	}
	if isURL {
		if len(args) > 1 {
			return cli.UsageError(i18n.Errorf("archivecmd.archive-given-twice", "the run's URL says where it is: give no other archive"))
		}
		ref, args = inside, []string{inside, from.String()}
	}
	folder, from, err := transfer(global, args)
	if err != nil {
		return err
	}
	lib, err := library.At(ctx, from)
	if err != nil {
		return err
	}
	observe, end := library.Copying(global)
	dir, err := lib.Pull(ctx, ref, folder, observe)
	end()
	if err != nil {
		return err
	}
	fmt.Println(dir)
	return nil
}
