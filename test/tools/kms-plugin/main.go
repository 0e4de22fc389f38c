// Command kms-plugin is a KMS plugin for Kubernetes' KMS v2 API, made from the packages that Kubernetes publishes for
// plugins.
//
//	kms-plugin <socket> <folder>
//
// The file "current" in the folder contains the ID of the key for encryption, and "<ID>.key" the 32 bytes of a key. The
// files are read for each call, so a test can add, select and remove keys while the plugin runs. The plugin ends with
// SIGTERM.
package main

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"k8s.io/kms/pkg/service"
)

const (
	connectionTimeout = 5 * time.Second
	// Kubernetes accepts only annotations whose names are domain names.
	nonceAnnotation = "nonce.kms-plugin.flotilla.test"
)

func main() {
	if len(os.Args) != 3 {
		fail(errors.New("usage: kms-plugin <socket> <folder>"))
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func run(socket, folder string) error {
	plugin := service.NewGRPCService(socket, connectionTimeout, keys{folder})
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() { ended <- plugin.ListenAndServe() }()
	select {
	case err := <-ended:
		return err
	case <-stop:
		plugin.Close()
		return nil
	}
}

// keys are the keys in the files of a folder.
type keys struct{ folder string }

var _ service.Service = keys{}

func (k keys) Status(context.Context) (*service.StatusResponse, error) {
	id, err := k.current()
	if err != nil {
		return nil, err
	}
	return &service.StatusResponse{Version: "v2", Healthz: "ok", KeyID: id}, nil
}

func (k keys) Encrypt(_ context.Context, _ string, plaintext []byte) (*service.EncryptResponse, error) {
	id, err := k.current()
	if err != nil {
		return nil, err
	}
	aead, err := k.aead(id)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return &service.EncryptResponse{
		Ciphertext:  aead.Seal(nil, nonce, plaintext, []byte(id)),
		KeyID:       id,
		Annotations: map[string][]byte{nonceAnnotation: nonce},
	}, nil
}

func (k keys) Decrypt(_ context.Context, _ string, request *service.DecryptRequest) ([]byte, error) {
	aead, err := k.aead(request.KeyID)
	if err != nil {
		return nil, err
	}
	nonce := request.Annotations[nonceAnnotation]
	if len(nonce) != aead.NonceSize() {
		return nil, fmt.Errorf("the annotation %s has %d bytes", nonceAnnotation, len(nonce))
	}
	return aead.Open(nil, nonce, request.Ciphertext, []byte(request.KeyID))
}

func (k keys) current() (string, error) {
	id, err := os.ReadFile(filepath.Join(k.folder, "current"))
	if err != nil {
		return "", errors.New("no key is selected")
	}
	return strings.TrimSpace(string(id)), nil
}

func (k keys) aead(id string) (cipher.AEAD, error) {
	key, err := os.ReadFile(filepath.Join(k.folder, filepath.Base(id)+".key"))
	if err != nil {
		return nil, fmt.Errorf("there is no key %s", id)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
