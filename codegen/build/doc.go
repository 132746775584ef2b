// Package build is the library behind oxidegen: from kernel declarations in Go packages to the files under gen/.
//
//	Discover   finds exported variables of type ir.Algorithm[V] with go/packages
//	Trace      runs a generated driver program in the user's module and reads its bundle (PTX, contract, positions)
//	Assemble   makes cubins with the pinned ptxas, keeping those whose key has not changed
//	Render     computes every file of gen/: bindings, cubins, manifests, PTX, position maps
//	Write      writes what differs and removes what is stale
//	Verify     proves that the files on disk are what the source gives, with or without a ptxas
//
// Nothing is written into the module but gen/: the driver exists only as an overlay of the go command.
package build
