// Oxidelab runs the library's operators and judges them.
//
//	oxidelab ops [-json] [OP]                       what operators there are, their Spec fields, operands, algorithms
//	oxidelab run OP --spec SPEC.json --in IN.safetensors --out OUT.safetensors
//	        [--device auto|emulated|cuda:N] [--algorithm NAME] [--check]
//	oxidelab profile OP --spec SPEC.json --dims N[,N...] [--algorithm NAME] [--in-place] [--blocks N] [--rotation BYTES]
//	        [--html FILE] [--json]                  what each Go line of a call's kernels did, and an estimate of their time
//	oxidelab qualify [--device …] [--level L,L…] [--op OP] [--quick] [--state FILE] [--record FILE.tar] [--json FILE]
//	                                                seven levels of proof, each case passed, failed or not run for a reason
//	oxidelab peers --record FILE.tar [--op OP] [--python PROGRAM] [--limit SECONDS]
//	                                                ours against torch, FlashInfer and Triton in one Python process
//	oxidelab report [--html FILE] [--md FILE] [--from FILE.tar]   the records for a person to read
//	oxidelab evidence import FILE.tar | index | verify | show FILE.json   [-dir evidence]
//	                                                keep the records of qualify
//	oxidelab bench [--device cuda:N] [--op OP] [--json FILE]   times of graph replays and eager calls
//	oxidelab tune [--device cuda:N] [--op OP] [--json FILE] [--table FILE]
//	                                                times of every algorithm at every size, and the table that plans choose from
//	oxidelab ptx run CASE.json [-json] [-checks LIST] [-async early|late|random] [-seed N] [-max-steps N]
//	        [-trace CONDITIONS [-trace-to FILE]]    run a PTX case file and compare with what a GPU recorded; write what
//	                                                threads, warps, barriers, lines or addresses did
//	oxidelab ptx trace-diff A B                     where two traces part
//	oxidelab ptx mutate CASE.json... | --op PREFIX  plant mistakes into the PTX of cases or of the library's kernels
//	                                                and see which the checkers find
//	oxidelab ptx record DIR [flags]                 run the PTX cases of a folder on a GPU and keep what it leaves
//
// The exit status is 0 if everything is right, 1 if a result is wrong, and 2 if the call, a file or a device could not be
// used; then one line says why.
package main
