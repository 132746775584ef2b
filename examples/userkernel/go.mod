module example.com/userkernel

go 1.26.8

tool github.com/oxideinfer/oxide/cmd/oxidegen

require github.com/oxideinfer/oxide v0.0.0

require (
	github.com/dave/jennifer v1.7.1 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

replace github.com/oxideinfer/oxide => ../..
