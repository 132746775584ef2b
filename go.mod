module github.com/oxideinfer/oxide

go 1.26.8
