package command

import "errors"

func (l *lab) bench([]string) error { return errors.New("bench: not here yet") }
