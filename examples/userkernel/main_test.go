package main

import (
	"context"
	"testing"
)

func TestOnEmulatedDevice(t *testing.T) {
	if err := run(context.Background(), false); err != nil {
		t.Fatal(err)
	}
}
