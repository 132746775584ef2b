package ptxcase

import (
	"path/filepath"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/mutate"
)

// Subject is the case of a file as a subject of mutation.
func Subject(path string) (mutate.Subject, error) {
	c, err := load(path)
	if err != nil {
		return mutate.Subject{}, err
	}
	if c.Name == "" {
		c.Name = strings.TrimSuffix(filepath.Base(path), ".json")
	}
	run := func(m *ptx.Module, cfg emulate.Config) ([]emulate.Finding, bool, error) {
		changed := *c
		changed.module = m
		r := &Report{}
		if err := r.runLoaded(&changed, Options{Device: cfg}); err != nil {
			return nil, false, err
		}
		r.settle()
		return r.Findings, r.Status != StatusDiffers, nil
	}
	return mutate.Subject{Name: c.Name, Text: c.text, Run: run}, nil
}
