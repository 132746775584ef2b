package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	commit = "0123456789abcdef0123456789abcdef01234567"
	digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

// pack packs or fails.
func pack(t *testing.T, us ...float64) Samples {
	t.Helper()
	s, err := Pack(us)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// example is a good record of two contenders with two rounds each.
func example(t *testing.T) *Record {
	t.Helper()
	began := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	limit := NewLimit(65536, 16384, 4.55e12, 67e12, "the test")
	timing := Timing{Region: "graph replay", Bytes: 65536, Flops: 16384, Limit: &limit, Sets: 400, ColdBytes: 26214400, Calls: 400, Contenders: []Contender{
		{Name: "Row", Provider: "Oxide", Algorithm: "Row", Version: "v0", Ours: true,
			Rounds: []Round{{0, 0, pack(t, 1.01, 1.02, 1.0)}, {1, 1, pack(t, 1.01, 1.03, 1.02)}}},
		{Name: "peer", Provider: "Peer", Algorithm: "rmsnorm", Version: "1.2",
			Rounds: []Round{{0, 1, pack(t, 1.31, 1.32, 1.3)}, {1, 0, pack(t, 1.32, 1.33, 1.31)}}},
	}}
	if err := timing.Summarise(); err != nil {
		t.Fatal(err)
	}
	return &Record{Schema: Schema, Level: Performance, Operator: "normalization.rms_norm", Provider: "Oxide", Algorithm: "Row", Part: 1, Parts: 1,
		Source: Source{"example.org/m", commit, "2026-11-30T11:00:00Z"}, Toolchain: Toolchain{"go1.26", "13.0.88"},
		Device: Device{Kind: "cuda", Name: "NVIDIA H200", UUID: "GPU-1", ComputeCapability: "9.0", Driver: "580.1", CUDA: 13000},
		State:  State{Unseen: "no program to ask"}, Began: began, Ended: began.Add(time.Minute),
		Artifacts: []Artifact{{"Row_BF16", "BF16", "sm_90a", digest, digest}},
		Cases:     []Case{{Name: "1x4096", Status: Passed, Fingerprint: digest, Spec: "{}", Dims: []int{1}, Seed: 1, Artifacts: []int{0}, Timings: []Timing{timing}}},
		Claims:    []string{"c"}, Excludes: []string{"e"}}
}

func TestRoundTrip(t *testing.T) {
	r := example(t)
	data, err := Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r, again) {
		t.Errorf("%+v\nbecame\n%+v", r, again)
	}
	if want := "[[\"Row\"],[\"peer\"]]"; !strings.Contains(string(data), want) {
		t.Errorf("no ranking %s in %s", want, data)
	}
	if name := r.FileName(); name != "records/normalization.rms_norm/performance-Row-nvidia-h200-0123456789ab-20261130T120000.json" {
		t.Errorf("it lives in %s", name)
	}
}

// TestValidateFindsEachFault changes one thing at a time.
func TestValidateFindsEachFault(t *testing.T) {
	for says, spoil := range map[string]func(*Record){
		"schema":                 func(r *Record) { r.Schema = "oxide.evidence/2" },
		"level":                  func(r *Record) { r.Level = "speed" },
		"operator":               func(r *Record) { r.Operator = "../x" },
		"provider":               func(r *Record) { r.Provider = "" },
		"algorithm":              func(r *Record) { r.Algorithm = "a/b" },
		"part":                   func(r *Record) { r.Part = 2 },
		"source commit":          func(r *Record) { r.Source.Commit = commit[:12] },
		"toolchain":              func(r *Record) { r.Toolchain.Go = "" },
		"ptxas":                  func(r *Record) { r.Toolchain.PTXAS = "13" },
		"it ended":               func(r *Record) { r.Ended = r.Began.Add(-1) },
		"no cases":               func(r *Record) { r.Cases = nil },
		"claims":                 func(r *Record) { r.Claims = nil },
		"excluded":               func(r *Record) { r.Excludes = nil },
		"kind":                   func(r *Record) { r.Device.Kind = "emulated" },
		"incomplete":             func(r *Record) { r.Device.Driver = "" },
		"state":                  func(r *Record) { r.State.Unseen = "" },
		"artifact {":             func(r *Record) { r.Artifacts[0].PTXSHA256 = "00" },
		"there twice":            func(r *Record) { r.Cases = append(r.Cases, r.Cases[0]) },
		"status":                 func(r *Record) { r.Cases[0].Status = "skipped" },
		"with the reason":        func(r *Record) { r.Cases[0].Status = NotRun; r.Cases[0].Timings = nil },
		"fingerprint":            func(r *Record) { r.Cases[0].Fingerprint = "x" },
		"artifact 1 of 1":        func(r *Record) { r.Cases[0].Artifacts[0] = 1 },
		"0 timings":              func(r *Record) { r.Cases[0].Timings = nil },
		"timing is incomplete":   func(r *Record) { r.Cases[0].Timings[0].Calls = 0 },
		"does not follow":        func(r *Record) { r.Cases[0].Timings[0].Limit.Us *= 2 },
		"none of the contenders": func(r *Record) { r.Cases[0].Timings[0].Contenders[0].Ours = false },
		"contender":              func(r *Record) { r.Cases[0].Timings[0].Contenders[1].Version = "" },
		"samples or an error":    func(r *Record) { r.Cases[0].Timings[0].Contenders[1].Error = "broke" },
		"order 1":                func(r *Record) { r.Cases[0].Timings[0].Contenders[0].Rounds[0].Order = 1 },
		"what the samples say":   func(r *Record) { r.Cases[0].Timings[0].Contenders[0].MedianUs *= 0.9 },
		"not what the samples":   func(r *Record) { r.Cases[0].Timings[0].Ranking = [][]string{{"peer"}, {"Row"}} },
		"samples: ":              func(r *Record) { r.Cases[0].Timings[0].Contenders[0].Rounds[0].Samples.Packed = "AAAA" },
	} {
		r := example(t)
		spoil(r)
		if err := r.Validate(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
		if _, err := Encode(r); err == nil {
			t.Errorf("%s: it was written", says)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	good, err := Encode(example(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"unknown member": []byte(strings.Replace(string(good), `"level"`, `"mood":1,"level"`, 1)),
		"trailing data":  append(slices.Clone(good), '{'),
		"half a record":  good[:len(good)/2],
		"empty":          nil,
	} {
		if _, err := Decode(data); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Decode(make([]byte, MaxBytes+1)); !errors.Is(err, ErrTooLong) {
		t.Errorf("too long: %v", err)
	}
}

func TestSplitKeepsEveryCaseAndItsArtifact(t *testing.T) {
	r := example(t)
	r.Level, r.Cases, r.Artifacts = Correctness, nil, nil
	for i := range 3000 {
		entry := fmt.Sprintf("Row_%d", i%50)
		if i < 50 {
			r.Artifacts = append(r.Artifacts, Artifact{entry, entry, "sm_90a", digest, digest})
		}
		r.Cases = append(r.Cases, Case{Name: fmt.Sprintf("case %04d of a long list", i), Status: Passed, Fingerprint: digest, Artifacts: []int{i % 50}})
	}
	if _, err := Encode(r); !errors.Is(err, ErrTooLong) {
		t.Fatalf("the whole: %v", err)
	}
	parts, err := Split(r)
	if err != nil || len(parts) < 2 {
		t.Fatalf("%d parts: %v", len(parts), err)
	}
	n, names := 0, map[string]bool{}
	for _, p := range parts {
		names[p.FileName()] = true
		for _, c := range p.Cases {
			if got, want := p.Artifacts[c.Artifacts[0]].Entry, fmt.Sprintf("Row_%d", n%50); got != want || c.Name != r.Cases[n].Name {
				t.Fatalf("case %d is %s with %s, want %s", n, c.Name, got, want)
			}
			n++
		}
	}
	if n != len(r.Cases) || len(names) != len(parts) {
		t.Errorf("%d cases in %d files of %d parts", n, len(names), len(parts))
	}
}

// TestSchemaFile demands that the published schema has exactly the members of the Go types.
func TestSchemaFile(t *testing.T) {
	data, err := os.ReadFile("record.v1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties map[string]any
		Required   []string
	}
	var schema struct {
		object
		Defs map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	types := map[string]reflect.Type{}
	var visit func(reflect.Type)
	visit = func(typ reflect.Type) {
		switch {
		case typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer:
			visit(typ.Elem())
		case typ.Kind() == reflect.Struct && typ != reflect.TypeFor[time.Time]() && types[typ.Name()] == nil:
			types[typ.Name()] = typ
			for i := range typ.NumField() {
				visit(typ.Field(i).Type)
			}
		}
	}
	visit(reflect.TypeFor[Record]())
	for name, typ := range types {
		def, ok := schema.Defs[strings.ToLower(name)]
		if name == "Record" {
			def, ok = schema.object, true
		}
		if name == "Summary" {
			continue // embedded
		}
		if !ok {
			t.Errorf("the schema does not define %s", name)
			continue
		}
		properties, required := members(typ)
		for _, p := range properties {
			if def.Properties[p] == nil {
				t.Errorf("%s: the schema has no %s", name, p)
			}
		}
		slices.Sort(def.Required)
		if len(def.Properties) != len(properties) || !slices.Equal(def.Required, required) {
			t.Errorf("%s: %d members, %v required; the schema has %d, %v", name, len(properties), required, len(def.Properties), def.Required)
		}
	}
}

func members(typ reflect.Type) (all, required []string) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous {
			a, r := members(f.Type)
			all, required = append(all, a...), append(required, r...)
			continue
		}
		name, optional := strings.CutSuffix(f.Tag.Get("json"), ",omitempty")
		if all = append(all, name); !optional {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	return all, required
}
