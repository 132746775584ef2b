package op

// Control ops have regions, or end one. Every region ends in yield.
var control = []Info{
	{Name: "yield", Sig: "v:any*", Effects: Effects{Control: true},
		Doc: "ends a region and gives its values to the op that holds it", PTX: "mov, bra", Section: "9.7.12"},
	{Name: "loop", Sig: "lo:T hi:T step:T carried:any* -> any*", Kinds: Integers32, Regions: []string{"body"},
		Attrs: []AttrSpec{NoUnroll}, Effects: Effects{Control: true},
		Doc: "runs its body for i = lo, lo+step, … while i < hi; the region's arguments are i and the carried values, yield gives the next ones",
		PTX: "setp, bra", Section: "9.7.12.3"},
	{Name: "while", Sig: "carried:any* -> any*", Regions: []string{"cond", "body"},
		Attrs: []AttrSpec{NoUnroll}, Effects: Effects{Control: true},
		Doc: "runs cond, which yields a predicate and the results; while that holds it runs body, which sees cond's values and yields the next carried ones",
		PTX: "bra", Section: "9.7.12.3"},
	{Name: "if", Sig: "p:pred -> any*", Regions: []string{"then", "else"}, Effects: Effects{Control: true},
		Doc: "runs one of its regions; the results are what that region yields", PTX: "bra", Section: "9.7.12.3"},
	{Name: "exit", Sig: "", Effects: Effects{Order: true}, On: OnKernel, Method: "Exit",
		Doc: "ends the thread", PTX: "exit", Section: "9.7.12.7"},
}
