package isa

import (
	"fmt"
	"strings"
)

// modSlot is one modifier position of a row: a literal (one alternative named like the slot) or a placeholder.
type modSlot struct {
	name    string
	alts    []string
	opt     bool
	group   int  // slots of one {.a.b} share a number above 0: all present or none
	isType  bool // every alternative is a type: types keep their relative order
	literal bool
}

// choiceOf returns the choice that a token is for this slot: 0 for none, else its index plus one.
func (s *modSlot) choiceOf(tok string) int {
	for i, a := range s.alts {
		if a == tok {
			return i + 1
		}
	}
	return 0
}

// parseMods reads the modifier part of a Syntax.
func parseMods(text string, alt A) ([]modSlot, error) {
	var slots []modSlot
	group := 0
	for text != "" {
		part, opt := "", false
		switch text[0] {
		case '{':
			end := strings.IndexByte(text, '}')
			if end < 0 {
				return nil, fmt.Errorf("unclosed brace in %q", text)
			}
			part, text, opt = text[1:end], text[end+1:], true
		case '.':
			end := strings.IndexByte(text, '{')
			if end < 0 {
				end = len(text)
			}
			part, text = text[:end], text[end:]
		default:
			return nil, fmt.Errorf("modifier expected at %q", text)
		}
		names := strings.Split(part, ".")
		if names[0] != "" || len(names) < 2 {
			return nil, fmt.Errorf("modifier expected at %q", part)
		}
		g := 0
		if opt && len(names) > 2 {
			group++
			g = group
		}
		for _, name := range names[1:] {
			slots = append(slots, newModSlot(name, alt, opt, g))
		}
	}
	return slots, nil
}

func newModSlot(name string, alt A, opt bool, group int) modSlot {
	s := modSlot{name: name, opt: opt, group: group, literal: true, alts: []string{name}}
	for i := 0; i+1 < len(alt); i += 2 {
		if alt[i] == name {
			s.alts, s.literal = strings.Fields(alt[i+1]), false
		}
	}
	s.isType = true
	for _, a := range s.alts {
		if TypeOf(a) == NoType {
			s.isType = false
		}
	}
	return s
}

// argText is one operand of a Syntax: its names and punctuation, before Args gives it a meaning.
type argText struct {
	name   string
	opt    bool // in braces
	pair   bool // after '|'
	addr   bool // in brackets
	coords string
	negate bool // {!}
	list   bool // in parentheses
}

// parseOperands reads the operand part of a Syntax: d{|p}, [a], {!}c{, cache-policy}
func parseOperands(text string) ([]argText, error) {
	var out []argText
	for text != "" {
		if strings.HasPrefix(text, "{!}") {
			a, rest := oneOperand(text[3:])
			a.negate = true
			out, text = append(out, a), rest
			continue
		}
		if text[0] == '{' {
			end := strings.IndexByte(text, '}')
			if end < 0 {
				return nil, fmt.Errorf("unclosed brace in %q", text)
			}
			inner, err := parseOperands(text[1:end])
			if err != nil {
				return nil, err
			}
			for _, a := range inner {
				a.opt = true
				out = append(out, a)
			}
			text = trimComma(text[end+1:])
			continue
		}
		if text[0] == ',' || text[0] == ' ' {
			text = trimComma(text)
			continue
		}
		a, rest := oneOperand(text)
		if a.name == "" {
			return nil, fmt.Errorf("operand expected at %q", text)
		}
		out, text = append(out, a), rest
	}
	return out, nil
}

func trimComma(s string) string { return strings.TrimLeft(s, ", ") }

// oneOperand takes one operand off the front of text.
func oneOperand(text string) (argText, string) {
	var a argText
	if strings.HasPrefix(text, "|") {
		a.pair, text = true, text[1:]
	}
	closing := byte(0)
	switch {
	case strings.HasPrefix(text, "["):
		a.addr, closing = true, ']'
	case strings.HasPrefix(text, "("):
		a.list, closing = true, ')'
	}
	if closing != 0 {
		end := strings.IndexByte(text, closing)
		if end < 0 {
			return argText{}, ""
		}
		a.name, a.coords, _ = strings.Cut(text[1:end], ", ")
		return a, trimComma(text[end+1:])
	}
	end := strings.IndexAny(text, ",{|")
	if end < 0 {
		end = len(text)
	}
	a.name = strings.TrimSpace(text[:end])
	rest := text[end:]
	if strings.HasPrefix(rest, ",") {
		rest = trimComma(rest)
	}
	return a, rest
}
