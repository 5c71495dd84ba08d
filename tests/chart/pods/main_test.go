package pods

import (
	"os"
	"sync"
	"testing"
)

var (
	machine *Machine
	making  sync.Once
	made    *Image
)

// image is the image of all tests.
func image(t *testing.T) *Image {
	t.Helper()
	making.Do(func() { made = NewImage(t, machine) })
	if made == nil {
		t.Fatal("no image")
	}
	return made
}

func TestMain(m *testing.M) {
	os.Exit(Main(m, func(made *Machine) { machine = made }))
}
