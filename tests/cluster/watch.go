package cluster

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// watch looks once a second at what waits for mappers and at how many pods a role has, and prints what has changed.
type watch struct {
	stage *scene
	began time.Time
	stop  chan struct{}
	ended sync.WaitGroup

	lock    sync.Mutex
	lag     lag
	unknown bool
	// paths are the numbers of pods that a role has had, one after another, with their times.
	paths map[string][]turn
}

// turn is a number of pods and since when.
type turn struct {
	at   time.Time
	pods int
}

// watched are the roles that have an autoscaler.
var watched = []string{"mapper", "planner", "clarifier", "indexer"}

func startWatch(t testing.TB, stage *scene) *watch {
	made := &watch{stage: stage, began: time.Now(), stop: make(chan struct{}), paths: map[string][]turn{}}
	fmt.Println("   time   mapper: waiting   held  lag   pods:  mapper planner clarifier indexer")
	made.ended.Add(1)
	go made.run()
	t.Cleanup(func() {
		close(made.stop)
		made.ended.Wait()
	})
	return made
}

func (w *watch) run() {
	defer w.ended.Done()
	last := ""
	for ticks := time.NewTicker(time.Second); ; {
		select {
		case <-w.stop:
			ticks.Stop()
			return
		case <-ticks.C:
			if line := w.look(); line != last {
				fmt.Printf("%5.0f s   %s\n", time.Since(w.began).Seconds(), line)
				last = line
			}
		}
	}
}

// look takes a sample and puts it into words.
func (w *watch) look() string {
	now, err := w.stage.servers.lag(steps, "mapper")
	line := fmt.Sprintf("%15d %6d %4d", now.pending, now.held, now.total())
	if err != nil {
		line = fmt.Sprintf("%15s %6s %4s", "?", "?", "?")
	}
	line += fmt.Sprintf("%15s", "")
	w.lock.Lock()
	defer w.lock.Unlock()
	w.lag, w.unknown = now, err != nil
	for _, role := range watched {
		found, err := w.stage.plane.Client.AppsV1().Deployments(release).Get(ctx, "argosy-"+role, metav1.GetOptions{})
		if err != nil || found.Spec.Replicas == nil {
			line += "       -"
			continue
		}
		pods := int(*found.Spec.Replicas)
		line += fmt.Sprintf("%8d", pods)
		if path := w.paths[role]; len(path) == 0 || path[len(path)-1].pods != pods {
			w.paths[role] = append(path, turn{time.Now(), pods})
		}
	}
	return line
}

// pods are how many pods a role has now.
func (w *watch) pods(role string) int {
	w.lock.Lock()
	defer w.lock.Unlock()
	if path := w.paths[role]; len(path) > 0 {
		return path[len(path)-1].pods
	}
	return -1
}

// path is how many pods a role has had since some time, beginning with those that it had then.
func (w *watch) path(role string, since time.Time) []turn {
	w.lock.Lock()
	defer w.lock.Unlock()
	path := slices.Clone(w.paths[role])
	for len(path) > 1 && path[1].at.Before(since) {
		path = path[1:]
	}
	return path
}

// until waits until a role has so many pods.
func (w *watch) until(t testing.TB, patience time.Duration, role string, pods int) {
	t.Helper()
	within(t, patience, fmt.Sprintf("%d pods of the %s", pods, role), func() error {
		if now := w.pods(role); now != pods {
			return fmt.Errorf("there are %d", now)
		}
		return nil
	})
}

// stays makes sure that a role keeps so many pods for some time.
func (w *watch) stays(t testing.TB, span time.Duration, role string, pods int, and func() error) {
	t.Helper()
	for end := time.Now().Add(span); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if now := w.pods(role); now != pods {
			t.Fatalf("the %s has %d pods and should keep %d", role, now, pods)
		}
		if err := and(); err != nil {
			t.Fatal(err)
		}
	}
}

func mark(words string, args ...any) {
	fmt.Printf("      --  %s\n", fmt.Sprintf(words, args...))
}
