package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/cubin/cubintest"
)

// nowhere is a search that finds no toolchain and no pip.
func nowhere(t *testing.T) cubin.Search {
	return cubin.Search{Getenv: func(string) string { return "" }, CacheDir: t.TempDir(), CUDAHomes: []string{}}
}

// TestWithoutToolchain: what needs no ptxas works without one; what needs it says how to get it.
func TestWithoutToolchain(t *testing.T) {
	ctx, dir := context.Background(), userModule(t, axpyKernel)
	opt := Options{Dir: dir, Search: nowhere(t)}
	_, err := Build(ctx, opt)
	var missing *cubin.NotFoundError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "2 of 2 kernels must be assembled") {
		t.Errorf("first build: %v, want a *NotFoundError", err)
	}
	opt.Install = true
	if _, err = Build(ctx, opt); !errors.Is(err, cubin.ErrNoPip) || !strings.Contains(err.Error(), "-from DIR") {
		t.Errorf("first build with -install: %v, want ErrNoPip and what to do", err)
	}
	opt.Install = false
	if _, err := Build(ctx, Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	if r, err := Build(ctx, opt); err != nil || r.Assembled != 0 {
		t.Errorf("build without a change: %v %v", r, err)
	}
	r, err := Verify(ctx, opt)
	if err != nil || r.Bytes || !strings.Contains(r.Ptxas, "no ptxas") {
		t.Errorf("verify: %+v %v", r, err)
	}
	if _, err := List(ctx, opt); err != nil {
		t.Error(err)
	}
	if k, err := Traces(ctx, opt, TraceOptions{IR: true, Passes: true}, ParseSelection("UserAxpy/Threads128")); err != nil || len(k) != 1 || k[0].IR == "" || len(k[0].Passes) < 3 {
		t.Errorf("%d kernels, %v", len(k), err)
	}
}

// TestOtherPtxasIsRecorded: another version is used only when bound, and the manifest says so.
func TestOtherPtxasIsRecorded(t *testing.T) {
	ctx, dir := context.Background(), userModule(t, axpyKernel)
	other := filepath.Join(t.TempDir(), "ptxas")
	text := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = --version ] && { echo 'Cuda compilation tools, release 13.9, V13.9.1'; exit; }\nexec %s \"$@\"\n",
		cubintest.Assembler(t).Program().Path)
	if err := os.WriteFile(other, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	bound := Options{Dir: dir, Search: cubin.Search{Bind: map[string]string{"ptxas": other}}, Log: &log}
	if _, err := Build(ctx, bound); err != nil {
		t.Fatal(err)
	}
	rows, err := List(ctx, bound)
	if err != nil || len(rows) != 2 || rows[0].Ptxas != "13.9.1" || !rows[0].PtxasBound {
		t.Errorf("%+v %v", rows, err)
	}
	if !strings.Contains(log.String(), "ptxas 13.9.1 is bound") {
		t.Errorf("the log says %q", log.String())
	}
	if _, err := Verify(ctx, Options{Dir: dir}); !errors.Is(err, ErrToolchain) {
		t.Errorf("verify with the pinned one: %v, want ErrToolchain", err)
	}
	if r, err := Build(ctx, Options{Dir: dir}); err != nil || r.Assembled != 2 {
		t.Errorf("build with the pinned one: %v %v", r, err)
	}
}

func TestSelectionNamesWhatThereIs(t *testing.T) {
	f := newFixture(t)
	for text, part := range map[string]string{
		"Nothing":             "there are:\n\tExampleScale",
		"ExampleScale/triple": "ExampleScale/half for sm_90a",
	} {
		if _, err := ParseSelection(text).pick(f.kernels); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if k, err := ParseSelection("ExampleScale").pick(f.kernels); err != nil || len(k) != 2 {
		t.Errorf("%d kernels, %v", len(k), err)
	}
}
