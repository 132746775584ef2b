package command

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
	"github.com/oxideinfer/oxide/codegen/ptx/isa/probe"
)

const (
	probeTarget   = "sm_90a"
	mismatchLines = 40 // mismatches shown; the record has them all
)

// runProbe asks ptxas about the instruction table: what the table allows must assemble, and a sample of what it
// refuses must not.
func runProbe(ctx context.Context, p *program, args []string) error {
	record := p.flags.String("record", "", "write the answers to this `file`, compressed if its name ends in .gz")
	limit := p.flags.Int("limit", 1000, "`forms` of a row to try, beyond those that pair all modifiers")
	refused := p.flags.Int("refused", 300, "refused neighbours of each opcode to try")
	opcodes, err := p.parse(args)
	if err != nil {
		return err
	}
	if *limit < 1 || *refused < 0 {
		return &usageError{"probe: -limit must be positive and -refused not negative"}
	}
	rows, forms, err := countForms(opcodes)
	if err != nil {
		return err
	}
	ptxas, _, err := p.search().Find(ctx, cubin.Ptxas())
	if err != nil {
		return err
	}
	start := time.Now()
	allowed, others := probe.Accepted(*limit, opcodes...), probe.Thin(probe.Neighbours(*limit, opcodes...), *refused)
	workers := p.workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	asm := probeAssembler(cubin.NewAssembler(ptxas, workers))
	answers, err := probe.Run(ctx, asm, append(allowed, others...), probe.Options{Parallel: workers})
	if err != nil {
		return err
	}
	rec := probe.NewRecord("ptxas "+ptxas.Version, probeTarget, answers)
	if *record != "" {
		if err := writeRecord(*record, rec); err != nil {
			return err
		}
	}
	fmt.Fprintf(p.stdout, "%d rows, %d forms; %s was asked about %d mnemonics (%d instructions that the table allows, %d that it refuses) in %.0f s\n",
		rows, forms, rec.Assembler, len(answers), len(allowed), len(others), time.Since(start).Seconds())
	all, tolerated := rec.Mismatches()
	return reportMismatches(p.stdout, all, tolerated)
}

// countForms counts what the table has of the opcodes, all if none is named.
func countForms(opcodes []string) (rows, forms int, err error) {
	seen := map[string]bool{}
	for r := range isa.Rows() {
		if len(opcodes) > 0 && !slices.Contains(opcodes, r.Opcode()) {
			continue
		}
		seen[r.Opcode()] = true
		rows++
		for range r.Forms() {
			forms++
		}
	}
	for _, op := range opcodes {
		if !seen[op] {
			return 0, 0, &usageError{fmt.Sprintf("probe: the table has no opcode %q", op)}
		}
	}
	return rows, forms, nil
}

// probeAssembler hands modules to ptxas; a refusal keeps the lines that its messages name.
func probeAssembler(asm *cubin.Assembler) probe.Assembler {
	return func(ctx context.Context, ptx string) error {
		_, err := asm.Assemble(ctx, []byte(ptx), probeTarget)
		var refused *cubin.AssembleError
		if !errors.As(err, &refused) {
			return err
		}
		var b strings.Builder
		for _, d := range refused.Diagnostics {
			if d.Line > 0 {
				fmt.Fprintf(&b, "line %d; ", d.Line)
			}
			fmt.Fprintf(&b, "%s : %s\n", d.Severity, d.Text)
		}
		return &probe.Rejected{Output: b.String()}
	}
}

func writeRecord(name string, rec *probe.Record) error {
	var b bytes.Buffer
	if !strings.HasSuffix(name, ".gz") {
		if err := rec.Write(&b); err != nil {
			return err
		}
		return os.WriteFile(name, b.Bytes(), 0o644)
	}
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := errors.Join(rec.Write(z), z.Close()); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

func reportMismatches(w io.Writer, all []probe.Mismatch, tolerated int) error {
	for _, m := range all[:min(len(all), mismatchLines)] {
		fmt.Fprintln(w, m)
	}
	fmt.Fprintf(w, "%d mismatches; %d mnemonics are not in the manual but known to be read over\n", len(all), tolerated)
	if len(all) > 0 {
		return fmt.Errorf("the instruction table and ptxas disagree about %d mnemonics", len(all))
	}
	return nil
}
