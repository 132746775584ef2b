// Command gen writes the driver's symbol table header to the file named by its argument.
package main

import (
	"fmt"
	"os"

	"github.com/oxideinfer/oxide/runtime/internal/symtab"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], symtab.Header(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
