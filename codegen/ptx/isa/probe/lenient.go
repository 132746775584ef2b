package probe

import "strings"

// leniencies are instructions that the manual does not define and that ptxas 13.0.88 assembles all the same, because
// it reads over a word that means nothing there or does without one that should be there. The table follows the
// manual. Each rule is an opcode and words: all must be present ("a|b": one of them), "!w" must not.
var leniencies = []struct{ rule, why string }{
	{"fence mbarrier_init sync_restrict::shared::cta|sync_restrict::shared::cluster", ".sync_restrict belongs to fences of .acquire or .release (9.7.13.4)"},
	{"fence proxy async sync_restrict::shared::cta|sync_restrict::shared::cluster", ".sync_restrict belongs to fence.proxy.async::generic (9.7.13.4)"},
	{"fence tensormap::generic sync_restrict::shared::cta|sync_restrict::shared::cluster", ".sync_restrict belongs to fence.proxy.async::generic (9.7.13.4)"},
	{"fma rz|rm|rp relu|oob bf16|bf16x2", ".relu and .oob come with .rn (9.7.4.4)"},
	{"fma oob sat", ".oob has .relu, not .sat (9.7.4.4)"},
	{"mma and|xor s4|u4", "a bit operation belongs to .b1 (9.7.14.5.14)"},
	{"mma f64 b1|bf16|tf32|s4|u4", "a second factor type is read over (9.7.14.5.14)"},
	{"mma f16 bf16", "a second factor type is read over (9.7.14.5.14)"},
	{"rcp rn|rz|rm|rp ftz f64", ".ftz belongs to .f32 and to rcp.approx.ftz.f64 (9.7.3.13)"},
	{"red async !mbarrier::complete_tx::bytes", "the completion mechanism is not optional (9.7.13.7)"},
	{"st async !mbarrier::complete_tx::bytes", "the completion mechanism is not optional (9.7.9.12)"},
	{"st async shared|shared::cta", "only .shared::cluster is defined (9.7.9.12)"},
	{"st async cta|cluster|gpu|sys", "a scope belongs to the .mmio form (9.7.9.12)"},
	{"testp !finite !infinite !number !notanumber !normal !subnormal", "the property is not optional (9.7.3.1)"},
	{"wgmma sync !aligned", ".aligned is not optional (9.7.15)"},
}

// lenient returns why ptxas may accept a mnemonic that the table refuses, "" if there is no reason.
func lenient(mnemonic string) string {
	words := strings.Split(mnemonic, ".")
	has := map[string]bool{}
	for _, w := range words[1:] {
		has[w] = true
	}
	for _, l := range leniencies {
		rule := strings.Fields(l.rule)
		holds := rule[0] == words[0]
		for _, w := range rule[1:] {
			if absent, not := strings.CutPrefix(w, "!"); not {
				holds = holds && !has[absent]
				continue
			}
			one := false
			for alt := range strings.SplitSeq(w, "|") {
				one = one || has[alt]
			}
			holds = holds && one
		}
		if holds {
			return l.why
		}
	}
	return ""
}
