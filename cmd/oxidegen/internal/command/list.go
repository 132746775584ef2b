package command

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/oxideinfer/oxide/codegen/build"
)

// listed is one row of list -json.
type listed struct {
	Algorithm          string  `json:"algorithm"`
	Variant            string  `json:"variant"`
	Target             string  `json:"target"`
	Entry              string  `json:"entry"`
	Threads            int     `json:"threads"`
	Registers          int     `json:"registers"`
	SpillStoreBytes    int     `json:"spill_store_bytes"`
	SpillLoadBytes     int     `json:"spill_load_bytes"`
	StackBytes         int     `json:"stack_bytes"`
	StaticSharedBytes  int     `json:"static_shared_bytes"`
	DynamicSharedBytes int     `json:"dynamic_shared_bytes"`
	Barriers           int     `json:"barriers"`
	CodeBytes          int     `json:"code_bytes"`
	BlocksPerSM        int     `json:"blocks_per_sm"`
	OccupancyPercent   float64 `json:"occupancy_percent"`
	LimitedBy          string  `json:"limited_by"`
	PTXSHA256          string  `json:"ptx_sha256"`
	CubinSHA256        string  `json:"cubin_sha256"`
	Ptxas              string  `json:"ptxas"`
}

func runList(ctx context.Context, p *program, args []string) error {
	asJSON := p.flags.Bool("json", false, "print JSON instead of a table")
	rest, err := p.parse(args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return &usageError{"list takes no packages: it reads what gen/ holds"}
	}
	rows, err := build.List(ctx, p.options(nil))
	if err != nil {
		return err
	}
	all := []listed{}
	for i := range rows {
		all = append(all, newListed(&rows[i]))
	}
	if *asJSON {
		enc := json.NewEncoder(p.stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(all)
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ALGORITHM\tVARIANT\tTARGET\tREGS\tSPILL\tSHARED\tBLOCKS/SM\tOCC\tPTX\tCUBIN")
	for _, l := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%.0f%%\t%.8s\t%.8s\n", l.Algorithm, l.Variant, l.Target, l.Registers,
			l.SpillStoreBytes+l.SpillLoadBytes, l.StaticSharedBytes+l.DynamicSharedBytes, l.BlocksPerSM, l.OccupancyPercent, l.PTXSHA256, l.CubinSHA256)
	}
	return w.Flush()
}

func newListed(r *build.Row) listed {
	l := listed{Algorithm: r.Algorithm, Variant: r.Variant, Target: r.Target, Entry: r.Entry, Threads: r.Threads(),
		Registers: r.Resources.Registers, SpillStoreBytes: r.Resources.SpillStoreBytes, SpillLoadBytes: r.Resources.SpillLoadBytes,
		StackBytes: r.Resources.StackBytes, StaticSharedBytes: r.Resources.StaticSharedBytes, DynamicSharedBytes: r.Launch.DynamicSharedBytes,
		Barriers: r.Resources.Barriers, CodeBytes: r.Resources.CodeBytes, PTXSHA256: r.PTXSHA256, CubinSHA256: r.CubinSHA256, Ptxas: r.Ptxas}
	if o, err := r.Occupancy(); err == nil {
		l.BlocksPerSM, l.OccupancyPercent, l.LimitedBy = o.Blocks, o.Percent(), o.LimitedBy
	}
	return l
}
