package build

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGeneratedGo compares everything generated for the fixture with a golden archive, hashes left out: they are
// another test's business and change with ptxas.
func TestGeneratedGo(t *testing.T) {
	f := newFixture(t)
	f.build(t)
	const golden = "testdata/scale.txtar"
	var got txtar.Archive
	for _, name := range []string{"scale/zexample_scale.go", "scale/zfamily.go", "scale/manifest.json", "ptx/zptx.go", "ptx/scale/ExampleScale_double.sm_90a.map"} {
		text := regexp.MustCompile(`\b[0-9a-f]{16,64}\b`).ReplaceAll(f.read(t, name), []byte("HASH"))
		got.Files = append(got.Files, txtar.File{Name: name, Data: text})
	}
	if *update {
		if err := os.WriteFile(golden, txtar.Format(&got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range want.Files {
		if diff := cmp.Diff(string(file.Data), string(got.Files[i].Data)); diff != "" {
			t.Errorf("%s (-want +got); run the test with -update if this is meant:\n%s", file.Name, diff)
		}
	}
}

// TestTensorMapBinding: a tensor map is a field of its own type, stored as it is.
func TestTensorMapBinding(t *testing.T) {
	k := &bundle.Kernel{Algorithm: "Boxes"}
	k.Contract.Params = []bundle.Param{{Name: "m", Type: "tensormap", Size: 128, Align: 64, Offset: 64, Access: "write",
		Box: &bundle.Box{Elem: "bf16", Dims: []int{64, 256}, Swizzle: "128B", Promotion: 256}}}
	args, err := argsStruct(k)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		args.GoString():                         "M runtime.TensorMap // tensor map, write, bf16 in boxes of 2 dimensions",
		paramList(k.Contract.Params).GoString(): "Box: &runtime.TensorBox{DType: runtime.BF16, Rank: 2, Dims: [5]uint32{64, 256}, Swizzle: runtime.Swizzle128B, Promotion: 256}",
		packMethod(k).GoString():                "p.PutBytes(64, 64, a.M[:])",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}
