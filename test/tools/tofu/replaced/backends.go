// Package init replaces the list of state backends of OpenTofu: the tests keep the state in local files. The clients of
// the other backends are a large part of the program.
package init

import (
	"sync"

	"github.com/opentofu/svchost/disco"

	"github.com/opentofu/opentofu/internal/backend"
	"github.com/opentofu/opentofu/internal/backend/local"
	"github.com/opentofu/opentofu/internal/encryption"
)

// RemovedBackends is empty.
var RemovedBackends map[string]string

var backends = map[string]backend.InitFn{
	"local": func(state encryption.StateEncryption) backend.Backend { return local.New(state) },
}

// backendsLock is held by each access to the backends.
var backendsLock sync.Mutex

// Init does nothing: the backends need no service discovery.
func Init(*disco.Disco) {}

// Backend returns the constructor of a backend, or nil, and its name.
func Backend(name string) (backend.InitFn, string) {
	backendsLock.Lock()
	defer backendsLock.Unlock()
	return backends[name], name
}

// Set adds, replaces or removes a backend.
func Set(name string, constructor backend.InitFn) {
	backendsLock.Lock()
	defer backendsLock.Unlock()
	if constructor == nil {
		delete(backends, name)
		return
	}
	backends[name] = constructor
}
