package report

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/timing"
	"github.com/oxideinfer/oxide/evidence"
)

var write = flag.String("write", "", "write the page of the test's records to this file, to be looked at")

const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// contender makes two rounds of samples around a time.
func contender(t *testing.T, r *rand.Rand, name, provider string, us, drift float64, position, of int) evidence.Contender {
	t.Helper()
	c := evidence.Contender{Name: name, Provider: provider, Algorithm: "f", Version: "1.2", Ours: provider == "Oxide"}
	for order := range 2 {
		var x []float64
		for range 25 {
			x = append(x, us*(1+drift*float64(order))*(1+0.004*r.NormFloat64()))
		}
		packed, err := evidence.Pack(x)
		if err != nil {
			t.Fatal(err)
		}
		at := position
		if order == 1 {
			at = of - 1 - position
		}
		c.Rounds = append(c.Rounds, evidence.Round{Order: order, Position: at, Samples: packed})
	}
	return c
}

// comparison is a timing of ours and others whose times are multiples of ours; a negative one has an error.
func comparison(t *testing.T, r *rand.Rand, bytes int64, us float64, others map[string]float64) evidence.Timing {
	t.Helper()
	timed := evidence.Timing{Region: timing.GraphRegion, Bytes: bytes, Flops: bytes, Limit: timing.LimitOn("NVIDIA H200", bytes, bytes, 0), Sets: 4, ColdBytes: 4 * bytes, Calls: 400}
	n, names := 1+len(others), []string{"copy of as many bytes", "torch.compile", "flashinfer cuda", "flashinfer cute-dsl", "triton"}
	timed.Contenders = append(timed.Contenders, contender(t, r, "oxide", "Oxide", us, 0, 0, n))
	for _, name := range names {
		times, ok := others[name]
		switch provider := map[bool]string{true: "CUDA driver", false: "Peer"}[name == names[0]]; {
		case !ok:
		case times < 0:
			timed.Contenders = append(timed.Contenders, evidence.Contender{Name: name, Provider: provider, Algorithm: "f", Version: "not installed", Error: "ModuleNotFoundError: <none>"})
		default:
			timed.Contenders = append(timed.Contenders, contender(t, r, name, provider, us*times, 0.002, len(timed.Contenders), n))
		}
	}
	if err := timed.Summarise(); err != nil {
		t.Fatal(err)
	}
	return timed
}

// records are what a qualification leaves, made up.
func records(t *testing.T) []evidence.Stored {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	began := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	base := evidence.Record{Schema: evidence.Schema, Provider: "Oxide", Part: 1, Parts: 1, Source: evidence.Source{Module: "m", Commit: strings.Repeat("ab", 20), Time: "t"},
		Toolchain: evidence.Toolchain{Go: "go1.26", PTXAS: "13.0.88"},
		Device:    evidence.Device{Kind: "cuda", Name: "NVIDIA H200", UUID: "GPU-1", ComputeCapability: "9.0", Driver: "580.1", CUDA: 13000},
		State: evidence.State{By: "nvidia-smi", Readings: 9, SMClockMHz: &evidence.Span{Min: 1900, Median: 1980, Max: 1980}, MemClockMHz: &evidence.Span{Min: 3201, Median: 3201, Max: 3201},
			PowerW: &evidence.Span{Min: 100, Median: 400, Max: 650}, PowerLimitW: 700, Throttle: []string{"0x0"}},
		Began: began, Ended: began.Add(time.Minute), Artifacts: []evidence.Artifact{{Entry: "K", Variant: "V", Target: "sm_90a", PTXSHA256: digest, CubinSHA256: digest}},
		Claims: []string{"it is so"}, Excludes: []string{"it is not otherwise"}}
	var all []evidence.Stored
	add := func(rec evidence.Record) {
		data, err := evidence.Encode(&rec)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, evidence.Stored{File: rec.FileName(), Data: data, Record: &rec})
	}
	for _, operator := range []string{"normalization.rms_norm", "normalization.add_rms_norm", "activation.swiglu"} {
		c, p, q := base, base, base
		c.Level, c.Operator, c.Algorithm = evidence.Correctness, operator, "RowWise"
		for i := range 30 {
			one := evidence.Case{Name: fmt.Sprintf("case %d", i), Status: evidence.Passed, Fingerprint: digest, Artifacts: []int{0}, Elements: 100, MaxULP: 0.1 * float64(i)}
			if i == 7 && operator == "activation.swiglu" {
				one.Status, one.Reason = evidence.Failed, "y: 3 of 100 elements <out> of bounds"
			}
			c.Cases = append(c.Cases, one)
		}
		p.Level, p.Operator, p.Algorithm, q.Level, q.Operator, q.Algorithm, q.Began = evidence.Performance, operator, "RowWise", evidence.Performance, operator, "RowWise", began.Add(time.Second)
		for _, hidden := range []int{1536, 4096, 8192} {
			for _, rows := range []int{1, 16, 128, 2048, 8192} {
				bytes := int64(rows * hidden * 4)
				us := 0.8 + float64(bytes)/4.05e6
				eager := evidence.Timing{Region: timing.EagerRegion, Bytes: bytes, Sets: 4, ColdBytes: 4 * bytes, Calls: 500, Contenders: []evidence.Contender{contender(t, r, "oxide", "Oxide", 4.9, 0, 0, 1)}}
				if err := eager.Summarise(); err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%d×%d", rows, hidden)
				p.Cases = append(p.Cases, evidence.Case{Name: name, Status: evidence.Passed, Spec: "{}", Fingerprint: digest, Artifacts: []int{0},
					Timings: []evidence.Timing{comparison(t, r, bytes, us, map[string]float64{"copy of as many bytes": 0.95 + 1/us}), eager}})
				q.Cases = append(q.Cases, evidence.Case{Name: name + " against peers", Status: evidence.Passed, Spec: "{}", Fingerprint: digest, Artifacts: []int{0},
					Timings: []evidence.Timing{fromPython(t, r, bytes), comparison(t, r, bytes, us, map[string]float64{"torch.compile": 1.1 + 1.5/us, "flashinfer cuda": 0.97 + 0.7/us, "flashinfer cute-dsl": -1, "triton": 1.02 + 1/us})}})
			}
		}
		add(c)
		add(p)
		add(q)
	}
	add(products(t, r, base))
	return all
}

// fromPython are eager calls of ours and of a peer.
func fromPython(t *testing.T, r *rand.Rand, bytes int64) evidence.Timing {
	t.Helper()
	eager := evidence.Timing{Region: "host time of an eager call from Python", Bytes: bytes, Sets: 4, ColdBytes: 4 * bytes, Calls: 200,
		Contenders: []evidence.Contender{contender(t, r, "oxide", "Oxide", 15.1, 0, 0, 2), contender(t, r, "triton", "Triton", 17.2, 0, 1, 2)}}
	if err := eager.Summarise(); err != nil {
		t.Fatal(err)
	}
	return eager
}

// products are comparisons of products of matrices at two n×k.
func products(t *testing.T, r *rand.Rand, rec evidence.Record) evidence.Record {
	t.Helper()
	rec.Level, rec.Operator, rec.Algorithm = evidence.Performance, "gemm.matmul", "Tiled"
	for _, nk := range []string{"4096×4096", "17920×1536", "9×9"} {
		for _, m := range []int{64, 1, 8192} {
			if nk == "9×9" && m != 64 {
				continue // one size is no curve
			}
			timed := comparison(t, r, int64(m)*1e6, 0.5+float64(m)/4.3, map[string]float64{"torch.compile": 1.1, "triton": -1})
			rec.Cases = append(rec.Cases, evidence.Case{Name: fmt.Sprintf("%d×%s against peers", m, nk), Status: evidence.Passed, Spec: "{}", Fingerprint: digest, Artifacts: []int{0},
				Timings: []evidence.Timing{timed}})
		}
	}
	return rec
}

// TestBatchChart: a panel for each n×k with more than one size, and a curve for each contender with times.
func TestBatchChart(t *testing.T) {
	all := newReport(t).Compared()
	i := slices.IndexFunc(all, func(t Timed) bool { return t.Operator == "gemm.matmul" })
	var names []string
	for _, row := range all[i].Rows {
		names = append(names, row.Name)
	}
	want := []string{"64×9×9", "1×17920×1536", "64×17920×1536", "8192×17920×1536", "1×4096×4096", "64×4096×4096", "8192×4096×4096"}
	if !slices.Equal(names, want) {
		t.Errorf("the order is %q", names)
	}
	svg := batchChart(all[i])
	for text, n := range map[string]int{">4096×4096<": 1, ">17920×1536<": 1, ">9×9<": 0, `class="whisker ours"`: 4, `class="whisker peer`: 4, "<circle": 12, "oxide, 8192 rows": 2, "triton": 0} {
		if got := strings.Count(svg, text); got != n {
			t.Errorf("%s is there %d times, want %d", text, got, n)
		}
	}
	if svg := batchChart(all[0]); svg != "" {
		t.Errorf("%s has a chart by rows", all[0].Operator)
	}
}

// made is the report of the made-up records, which take a while to make: the tests only read it.
var made *Report

func newReport(t *testing.T) *Report {
	t.Helper()
	if made != nil {
		return made
	}
	all := records(t)
	r, err := New(all, evidence.Index(all, func(entry, target string) (evidence.Artifact, bool) {
		return evidence.Artifact{Entry: entry, Target: target, PTXSHA256: digest, CubinSHA256: digest}, entry != "K" || target != "sm_80"
	}))
	if err != nil {
		t.Fatal(err)
	}
	made = r
	return r
}

func TestHTML(t *testing.T) {
	page, err := newReport(t).HTML()
	if err != nil {
		t.Fatal(err)
	}
	if *write != "" {
		if err := os.WriteFile(*write, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text := string(page)
	if len(text) > 1<<20 {
		t.Errorf("the page has %d bytes", len(text))
	}
	for _, forbidden := range []string{"http:", "https:", "<script", "src=", "@import", "url(", "ZgotmplZ", "NaN", "+Inf", "-Inf", "<out>", "<none>"} {
		if strings.Contains(text, forbidden) {
			t.Errorf("the page holds %q", forbidden)
		}
	}
	for _, want := range []string{"normalization.add_rms_norm", "torch.compile", "8192×4096", "3 of 100 elements &lt;out&gt; of bounds", "it is not otherwise", "1980 MHz", "ModuleNotFoundError",
		"<td>Go</td>", "<td>Python, triton</td>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	opened, closed := regexp.MustCompile(`<(svg|table|div|details|ul|nav|h[1-4])\b`), regexp.MustCompile(`</(svg|table|div|details|ul|nav|h[1-4])>`)
	if a, b := len(opened.FindAllString(text, -1)), len(closed.FindAllString(text, -1)); a != b {
		t.Errorf("%d elements are opened and %d closed", a, b)
	}
	if n := strings.Count(text, "<svg viewBox=\"0 0 860"); n != 15 {
		t.Errorf("%d charts, want 4 for each of 3 operators and 3 for products", n)
	}
}

func TestMarkdown(t *testing.T) {
	text := string(newReport(t).Markdown())
	for _, want := range []string{"| correctness | activation.swiglu | NVIDIA H200 | 29 | 1 | 0 |", "## Times of normalization.rms_norm against peers on NVIDIA H200", "| 8192×4096 | oxide |", "Host cost",
		"| activation.swiglu | 1×1536 | Go | 4.9", "| activation.swiglu | 1×1536 | Python, triton | 17"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, "%!") || strings.HasPrefix(line, "|") && !strings.HasSuffix(line, "|\n") {
			t.Errorf("bad line %q", line)
		}
	}
}

func TestOrderAndVerdicts(t *testing.T) {
	r := newReport(t)
	rows := r.Compared()[2].Rows
	if rows[0].Name != "1×1536" || rows[14].Name != "8192×8192" {
		t.Errorf("the rows go from %s to %s", rows[0].Name, rows[14].Name)
	}
	if v := verdict(rows[0]); !strings.HasSuffix(v, "% less than the best") {
		t.Errorf("1×1536: %s", v)
	}
	if v := verdict(rows[14]); !strings.HasSuffix(v, "% more than the best") {
		t.Errorf("8192×8192: %s", v)
	}
	if best := rows[0].best(); best == nil || best.Name != "flashinfer cuda" {
		t.Errorf("%+v", best)
	}
}
