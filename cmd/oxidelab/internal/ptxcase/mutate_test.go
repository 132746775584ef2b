package ptxcase

import (
	"path/filepath"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/mutate"
)

// TestForeignMutants plants every seventh mistake into some of the foreign cases: none of synchronisation survives.
// "oxidelab ptx mutate" plants all of them.
func TestForeignMutants(t *testing.T) {
	var all []mutate.Result
	for _, name := range []string{"cu_reduce", "cu_cpasync", "cu_named_barrier", "cu_bulk_mbar", "cu_cluster_dsmem", "cu_transpose", "tri_scans"} {
		s, err := Subject(filepath.Join(foreign, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := mutate.Judge(s, 1<<20, func(i int, site mutate.Site) bool { return i%7 == len(name)%7 })
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r...)
	}
	if len(all) < 20 {
		t.Errorf("only %d mutants", len(all))
	}
	for _, r := range all {
		if r.Verdict == mutate.Survived || r.Verdict == mutate.Numbers && !r.Kind.Shape() {
			t.Error(r)
		}
	}
	t.Logf("\n%s", mutate.Table(all))
}
