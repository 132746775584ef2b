package isa

// Exchange between the threads of a warp (manual 9.7.9.6 and 9.7.13.9 to 9.7.13.14).
var warpRows = []Row{
	{Syntax: "shfl.sync.mode.b32 d{|p}, a, b, c, membermask", Alt: A{"mode", "up down bfly idx"}, Args: "d: b32 def reg sink; p: pred def reg sink",
		PTX: 60, SM: 30, Sec: "9.7.9.6", Convergent: true, Doc: "Value of another lane; p tells whether that lane was in range."},
	{Syntax: "vote.sync.mode.pred d, {!}a, membermask", Alt: A{"mode", "all any uni"}, Args: "a: pred", PTX: 60, SM: 30, Sec: "9.7.13.9",
		Convergent: true, Doc: "Whether a holds in all lanes, in one, or equally in all."},
	{Syntax: "vote.sync.ballot.b32 d, {!}a, membermask", Args: "a: pred", PTX: 60, SM: 30, Sec: "9.7.13.9", Convergent: true,
		Doc: "One bit a lane whose a holds."},
	{Syntax: "match.any.sync.type d, a, membermask", Alt: A{"type", "b32 b64"}, Args: "d: b32 def", PTX: 60, SM: 70, Sec: "9.7.13.10",
		Convergent: true, Doc: "The lanes with the same a."},
	{Syntax: "match.all.sync.type d{|p}, a, membermask", Alt: A{"type", "b32 b64"}, Args: "d: b32 def sink; p: pred def sink", PTX: 60, SM: 70,
		Sec: "9.7.13.10", Convergent: true, Doc: "The mask if all lanes have the same a, else 0; p tells which."},
	{Syntax: "activemask.b32 d", PTX: 62, SM: 30, Sec: "9.7.13.11", Volatile: true, Doc: "The lanes that execute this instruction now."},
	{Syntax: "redux.sync.op.type dst, src, membermask", Alt: A{"op", "add min max", "type", "u32 s32"}, Args: "dst: T def; src: T either",
		PTX: 70, SM: 80, Sec: "9.7.13.12", Convergent: true, Doc: "Reduction over the lanes of the mask."},
	{Syntax: "redux.sync.op.b32 dst, src, membermask", Alt: A{"op", "and or xor"}, Args: "dst: T def; src: T either", PTX: 70, SM: 80,
		Sec: "9.7.13.12", Convergent: true, Doc: "Bitwise reduction over the lanes of the mask."},
	{Syntax: "elect.sync d|p, membermask", Args: "d: b32 def sink; p: pred def", PTX: 80, SM: 90, Sec: "9.7.13.14", Convergent: true,
		Doc: "p holds in one lane of the mask, whose number is d."},
}
