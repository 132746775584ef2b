//go:build unix

package evidence

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullDiskLeavesNothing runs the write in a process whose files may hold one kilobyte: like a full disk, the limit ends
// a write in the middle.
func TestFullDiskLeavesNothing(t *testing.T) {
	if dir := os.Getenv("EVIDENCE_FULL_DISK"); dir != "" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1024, Max: 1024}); err != nil {
			t.Fatal(err)
		}
		_, err := Store{dir}.Put(example(t))
		if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), "was not written") {
			t.Fatalf("%v", err)
		}
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDiskLeavesNothing$")
	cmd.Env = append(os.Environ(), "EVIDENCE_FULL_DISK="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	demandNoFiles(t, dir)
}

func demandNoFiles(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("%s was left", at)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestReadOnlyFolder needs a user whom permissions bind: root runs it as another one.
func TestReadOnlyFolder(t *testing.T) {
	dir := os.Getenv("EVIDENCE_READ_ONLY")
	if dir == "" {
		dir = t.TempDir()
		// Every folder above must be open to the other user.
		for at := dir; at != filepath.Dir(os.TempDir()) && at != "/" && at != os.TempDir(); at = filepath.Dir(at) {
			if err := os.Chmod(at, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() == 0 {
			runAsNobody(t, dir)
			demandNoFiles(t, dir)
			return
		}
	}
	if _, err := (Store{dir}).Put(example(t)); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v", err)
	}
	demandNoFiles(t, dir)
}

func runAsNobody(t *testing.T, dir string) {
	t.Helper()
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Skipf("the test program cannot be copied for another user: %v", err)
	}
	home := t.TempDir()
	for at := home; at != "/" && at != os.TempDir(); at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	exe := filepath.Join(home, "test")
	if err := os.WriteFile(exe, program, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestReadOnlyFolder$")
	cmd.Dir, cmd.Env = home, append(os.Environ(), "EVIDENCE_READ_ONLY="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
