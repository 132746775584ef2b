package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/opprofile"
	"github.com/oxideinfer/oxide/codegen/profilepage"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate/profile"
)

// profile runs one call of an operator on the emulated device and shows what its kernels did.
func (l *lab) profile(args []string) error {
	f := l.flags("profile", "OP --spec SPEC.json --dims N[,N...] [flags]")
	specPath := f.String("spec", "", "JSON `file` with the Spec; fields with defaults may be left out")
	dims := f.String("dims", "", "the operator's run-time `sizes`, separated by commas")
	algorithm := f.String("algorithm", "", "run this `algorithm` and no other")
	inPlace := f.Bool("in-place", false, "outputs lie over the inputs that they may alias")
	blocks := f.Int("blocks", profile.Blocks, "how many blocks run where they cannot see each other; 0: all")
	rotation := f.Float64("rotation", 0, "`bytes` that calls go round before one finds its operands again (0: more than L2 holds)")
	html := f.String("html", "", "write one HTML page to this `file`")
	asJSON := f.Bool("json", false, "print JSON")
	names, err := parse(f, args)
	if err != nil {
		return err
	}
	if len(names) != 1 || *specPath == "" || *dims == "" || *blocks < 0 || *rotation < 0 {
		return errors.New("profile needs one operator, --spec and --dims; --blocks and --rotation are no negative numbers")
	}
	j := opprofile.Job{Algorithm: *algorithm, InPlace: *inPlace, Blocks: *blocks, Conditions: profile.Conditions{WorkingSet: *rotation}}
	if j.Binding, err = find(names[0]); err != nil {
		return err
	}
	data, err := readSmall(*specPath)
	if err != nil {
		return err
	}
	if j.Spec, err = j.Binding.ParseSpec(data); err != nil {
		return fmt.Errorf("%s: %w", *specPath, err)
	}
	if j.Dims, err = numbers(*dims); err != nil {
		return fmt.Errorf("--dims: %w", err)
	}
	pages, err := opprofile.Run(j)
	if err != nil {
		return err
	}
	for _, p := range pages {
		p.AddSource(l.ctx, ".")
	}
	return profilepage.Show(l.data, pages, *html, *asJSON)
}

func numbers(text string) ([]int, error) {
	var all []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%q is no list of sizes", text)
		}
		all = append(all, n)
	}
	return all, nil
}
