// Command oxidegen turns kernels written in Go into cubins with typed bindings, and proves that they are current.
//
//	oxidegen build [-install] [-a] [packages]   bring gen/ up to date
//	oxidegen verify [packages]                  prove that gen/ is what the source gives
//	oxidegen list [-json]                       what gen/ holds: resources, occupancy, hashes
//	oxidegen dump -ir|-ptx|-sass|-passes [ALGORITHM[/VARIANT]] [packages]
//	oxidegen -dump-sass ALGORITHM[/VARIANT]     SASS beside the Go lines it came from
//	oxidegen profile ALGORITHM[/VARIANT] -grid X,Y,Z NAME=VALUE... [packages]
//	        [-block X,Y,Z] [-cluster X,Y,Z] [-dynamic BYTES] [-blocks N] [-rotation BYTES] [-html FILE] [-json]
//	                                            what each Go line of a kernel did on the emulator, and an estimate of its time
//	oxidegen toolchain [path | install [-from DIR]]
//
// In a module of one's own:
//
//	go get -tool github.com/oxideinfer/oxide/cmd/oxidegen
//	//go:generate go tool oxidegen build -install ./kernels
package main
