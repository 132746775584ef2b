// Record writes the golden cases for a device, and keeps what the device made of them. See package golden.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/golden"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

const recording = "codegen/ptx/emulate/golden/testdata/tensor.safetensors.gz"

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: record write|keep DIR, in the root of the module")
	}
	cases := golden.Tensor()
	switch args[0] {
	case "write":
		for _, c := range cases {
			if err := c.Write(args[1]); err != nil {
				return err
			}
		}
		fmt.Printf("%d cases in %s\n", len(cases), args[1])
		return nil
	case "keep":
		b, err := golden.Keep(args[1], cases)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.FromSlash(recording), b, 0o644)
	}
	return fmt.Errorf("%q is neither write nor keep", args[0])
}
