// Package stackfile finds the local stack that runs on a data folder: hone-stack writes what this package reads.
package stackfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Stack says where the parts of a running local stack are.
type Stack struct {
	PID      int       `json:"pid"`
	Started  time.Time `json:"started"`
	Data     string    `json:"data"` // absolute path of the data folder
	Temporal Temporal  `json:"temporal"`
	UI       UI        `json:"ui"`
	S3       S3        `json:"s3"`
	Worker   *Worker   `json:"worker,omitempty"` // of this moment; nil when the stack runs none
	Versions Versions  `json:"versions"`
}

// Temporal is the workflow server.
type Temporal struct {
	Address   string `json:"address"` // host and port
	Namespace string `json:"namespace"`
}

// UI is Temporal's web page.
type UI struct {
	URL string `json:"url"`
}

// S3 is the object store.
type S3 struct {
	Endpoint        string `json:"endpoint"` // URL
	Region          string `json:"region"`
	Bucket          string `json:"bucket"`
	CredentialsFile string `json:"credentialsFile"`
}

// Worker is the worker process that the stack started.
type Worker struct {
	PID      int    `json:"pid"` // 0 while it is being restarted
	Path     string `json:"path"`
	Log      string `json:"log"`
	Restarts int    `json:"restarts"`
}

// Versions are those of the modules that the stack is made of.
type Versions struct {
	Go        string `json:"go"`
	Temporal  string `json:"temporal"`
	UI        string `json:"ui"`
	VersityGW string `json:"versitygw"`
}

// Credentials are the object store's, made once for a data folder.
type Credentials struct {
	AccessKeyID     string `json:"accessKeyId"`
	SecretAccessKey string `json:"secretAccessKey"`
}

// ErrNotRunning means that no stack runs on the data folder.
var ErrNotRunning = errors.New("no local stack is running; start it with: hone up")

// Dir is a data folder.
type Dir string

// The files and folders of a data folder.
func (d Dir) path(name string) string { return filepath.Join(string(d), name) }

// Lock is the file that a running stack holds locked; it says its process id.
func (d Dir) Lock() string { return d.path("lock") }

// Stack is the file that says where a running stack's parts are.
func (d Dir) Stack() string { return d.path("stack.json") }

// Credentials is the file with the object store's keys.
func (d Dir) Credentials() string { return d.path("credentials.json") }

// Logs is the folder of logs.
func (d Dir) Logs() string { return d.path("logs") }

// StackLog is the log of a stack in the background.
func (d Dir) StackLog() string { return filepath.Join(d.Logs(), "stack.log") }

// WorkerLog is the log of the stack's worker.
func (d Dir) WorkerLog() string { return filepath.Join(d.Logs(), "worker.log") }

// Temporal is the folder of the workflow server's database.
func (d Dir) Temporal() string { return d.path("temporal") }

// Objects is the folder of the object store's buckets.
func (d Dir) Objects() string { return d.path("objects") }

// ObjectMeta is the folder of objects' metadata where the file system has no extended attributes. Its path may not
// begin with that of Objects.
func (d Dir) ObjectMeta() string { return d.path("meta") }

// Holder is the process id of the stack that runs on d, 0 if none does. What a killed one has left does not count:
// the kernel gave back its lock.
func (d Dir) Holder() (int, error) {
	if _, err := os.Stat(d.Lock()); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	lock := flock.New(d.Lock(), flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	if err != nil {
		return 0, fmt.Errorf("look at lock %s: %w", d.Lock(), err)
	}
	if free {
		return 0, lock.Unlock()
	}
	for range 100 { // it is written just after the lock is taken
		b, err := os.ReadFile(d.Lock())
		if err != nil {
			return 0, err
		}
		if pid, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil && pid > 0 {
			return pid, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return 0, fmt.Errorf("lock %s: held, but by whom is not written in it", d.Lock())
}

// Read is the stack that runs on d and is ready, ErrNotRunning if none is.
func (d Dir) Read() (*Stack, error) {
	pid, err := d.Holder()
	if err != nil {
		return nil, err
	}
	if pid == 0 {
		return nil, fmt.Errorf("data folder %s: %w", d, ErrNotRunning)
	}
	s, err := d.Last()
	if errors.Is(err, fs.ErrNotExist) || err == nil && s.PID != pid {
		return nil, fmt.Errorf("data folder %s: the stack (process %d) is starting or stopping: %w", d, pid, ErrNotRunning)
	}
	return s, err
}

// Last is what stack.json says, be the stack running or not; fs.ErrNotExist after a clean stop.
func (d Dir) Last() (*Stack, error) {
	var s Stack
	if err := readJSON(d.Stack(), &s); err != nil {
		return nil, err
	}
	return &s, nil
}

// ReadCredentials reads the object store's keys.
func (d Dir) ReadCredentials() (Credentials, error) {
	var c Credentials
	if err := readJSON(d.Credentials(), &c); err != nil {
		return Credentials{}, err
	}
	if c.AccessKeyID == "" || c.SecretAccessKey == "" {
		return Credentials{}, fmt.Errorf("%s: expected accessKeyId and secretAccessKey", d.Credentials())
	}
	return c, nil
}

func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// WriteJSON replaces the file at path by v's JSON, in one step and for good.
func WriteJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(f.Name()))
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
