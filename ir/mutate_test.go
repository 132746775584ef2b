package ir_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/ir"
)

// TestMutatedTextDoesNotPanic damages good text in ways that often still parse, so that the verifier sees kernels that no
// builder makes.
func TestMutatedTextDoesNotPanic(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	parsed, clean := 0, 0
	for _, name := range []string{"rmsnorm.ir", "everything.ir"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		for range 1200 {
			text := mutate(r, lines)
			k, err := ir.Parse(text)
			if err != nil {
				continue
			}
			parsed++
			if len(ir.Verify(k)) == 0 {
				clean++
			}
			again, err := ir.Parse(k.String())
			if err != nil || again.String() != k.String() {
				t.Fatalf("%v: text does not survive:\n%s", err, k)
			}
		}
	}
	if parsed < 200 || clean == parsed {
		t.Errorf("%d mutants parsed, %d verified: the mutations are too tame or too wild", parsed, clean)
	}
}

func mutate(r *rand.Rand, lines []string) string {
	out := append([]string(nil), lines...)
	for range 1 + r.IntN(3) {
		i, j := r.IntN(len(out)), r.IntN(len(out))
		switch r.IntN(4) {
		case 0:
			out = append(out[:i:i], out[i+1:]...)
		case 1:
			out[i], out[j] = out[j], out[i]
		default:
			out[i] = swapWord(r, out[i], out[j])
		}
	}
	return strings.Join(out, "\n")
}

// swapWord puts a word of one line in the place of a word of another.
func swapWord(r *rand.Rand, into, from string) string {
	a, b := strings.Fields(into), strings.Fields(from)
	if len(a) == 0 || len(b) == 0 {
		return into
	}
	a[r.IntN(len(a))] = b[r.IntN(len(b))]
	return strings.Join(a, " ")
}
