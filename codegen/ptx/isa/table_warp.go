package isa

// Exchange between the threads of a warp (manual 9.7.9.6 and 9.7.13).
var warpRows = []Row{
	{Syntax: "shfl.sync.mode.b32 d{|p}, a, b, c, membermask", Alt: A{"mode", "up down bfly idx"}, Args: "d: b32 def reg sink; p: pred def reg sink",
		PTX: 60, SM: 30, Sec: "9.7.9.6", Convergent: true, Doc: "Value of another lane; p tells whether that lane was in range."},
}
