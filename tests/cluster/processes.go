// Package cluster runs what scales a fleet, all of it for real but the kubelets: a control plane, KEDA, three NATS
// servers and the roles as processes. `run` starts its tests.
package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// processes are all that a test has started, with their files in one folder.
type processes struct {
	folder string
	all    []*process
}

// process is a program that a test has started.
type process struct {
	name, log string
	command   *exec.Cmd
	done      chan struct{}
}

// start starts a program in the folder, with what it prints in a file there.
func (p *processes) start(t testing.TB, name string, env []string, program string, args ...string) *process {
	t.Helper()
	started := &process{name: name, log: filepath.Join(p.folder, name+".log"), done: make(chan struct{})}
	log, err := os.Create(started.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	started.command = exec.Command(program, args...)
	started.command.Dir, started.command.Env = p.folder, append(os.Environ(), env...)
	started.command.Stdout, started.command.Stderr = log, log
	if err := started.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		// How it ended stands in ProcessState.
		_ = started.command.Wait()
		close(started.done)
	}()
	p.all = append(p.all, started)
	return started
}

// kill ends all of them, the last one first.
func (p *processes) kill() {
	for n := len(p.all) - 1; n >= 0; n-- {
		_ = p.all[n].command.Process.Kill()
		<-p.all[n].done
	}
}

// freeze stops a process where it is: its connections stay open, and nobody answers on them.
func (p *process) freeze(t testing.TB) { p.signal(t, syscall.SIGSTOP) }

// thaw lets it go on.
func (p *process) thaw(t testing.TB) { p.signal(t, syscall.SIGCONT) }

func (p *process) signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if err := p.command.Process.Signal(signal); err != nil {
		t.Fatalf("%s: %v\n%s", p.name, err, p.tail())
	}
}

// runs is an error when the process has ended.
func (p *process) runs() error {
	select {
	case <-p.done:
		return fmt.Errorf("%s has ended (%s):\n%s", p.name, p.command.ProcessState, p.tail())
	default:
		return nil
	}
}

// said is all that it has printed.
func (p *process) said(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(p.log)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (p *process) tail() string {
	text, _ := os.ReadFile(p.log)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}

// within asks again and again until there is no error, and fails with the last one when that takes too long.
func within(t testing.TB, patience time.Duration, what string, ask func() error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := ask()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %s: %v", what, patience, err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}
