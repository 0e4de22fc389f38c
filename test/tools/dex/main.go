// Command dex runs Dex, an OpenID Connect provider, with storage in memory and people with passwords.
//
//	dex <settings file>
//
// SIGHUP makes it read clients and people from the file again. It prints a line when it has read the file.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	gosundheit "github.com/AppsFlyer/go-sundheit"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/crypto/bcrypt"

	"github.com/dexidp/dex/server"
	"github.com/dexidp/dex/server/signer"
	"github.com/dexidp/dex/server/tokens"
	"github.com/dexidp/dex/storage"
	"github.com/dexidp/dex/storage/memory"
)

type settings struct {
	Listen string `json:"listen"`
	Issuer string `json:"issuer"`
	// Connectors of Dex in addition to the one for people, such as mockCallback.
	Connectors []storage.Connector `json:"connectors"`
	Clients    []storage.Client    `json:"clients"`
	People     []person            `json:"people"`
}

type person struct {
	storage.Password
	// ClearText is the password itself, from which the hash is made.
	ClearText string `json:"password"`
}

func main() {
	if len(os.Args) != 2 {
		fail(errors.New("usage: dex <settings file>"))
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func run(ctx context.Context, file string) error {
	now := func() time.Time { return time.Now().UTC() }
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	store := &testStorage{Storage: memory.New(logger)}
	given, err := read(ctx, file, store)
	if err != nil {
		return err
	}
	for _, connector := range append(given.Connectors, storage.Connector{ID: "local", Type: "local", Name: "Password"}) {
		if err := store.CreateConnector(ctx, connector); err != nil {
			return err
		}
	}
	keys := signer.LocalConfig{KeysRotationPeriod: "6h"}
	signing, err := keys.Open(ctx, store, time.Hour, now, logger)
	if err != nil {
		return err
	}
	handler, err := server.NewServer(ctx, server.Config{
		Issuer:             given.Issuer,
		Storage:            store,
		SkipApprovalScreen: true,
		IDTokensValidFor:   time.Hour,
		// Each refresh gives a new refresh token and makes the previous one unusable.
		RefreshTokenPolicy: tokens.NewRefreshStrategy(true, 0, 0, 0, now),
		Now:                now,
		Logger:             logger,
		Signer:             signing,
		PrometheusRegistry: prometheus.NewRegistry(),
		HealthChecker:      gosundheit.New(),
	})
	if err != nil {
		return err
	}
	go readAgain(ctx, file, store)
	listener, err := net.Listen("tcp", given.Listen)
	if err != nil {
		return err
	}
	fmt.Println("serving")
	return http.Serve(listener, handler)
}

func readAgain(ctx context.Context, file string, store *testStorage) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	for range signals {
		if _, err := read(ctx, file, store); err != nil {
			fail(err)
		}
		fmt.Println("read again")
	}
}

// read replaces the clients and people of the store with those of the file.
func read(ctx context.Context, file string, store *testStorage) (settings, error) {
	var given settings
	content, err := os.ReadFile(file)
	if err != nil {
		return given, err
	}
	if err := json.Unmarshal(content, &given); err != nil {
		return given, err
	}
	if err := replaceClients(ctx, given.Clients, store); err != nil {
		return given, err
	}
	return given, store.replacePeople(given.People)
}

func replaceClients(ctx context.Context, clients []storage.Client, store storage.Storage) error {
	for _, client := range clients {
		if err := store.DeleteClient(ctx, client.ID); err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
		if err := store.CreateClient(ctx, client); err != nil {
			return err
		}
	}
	return nil
}

// testStorage is the storage in memory with people who can be replaced. While Dex updates a refresh token, it reads
// people and sessions, for which the storage in memory would wait forever.
type testStorage struct {
	storage.Storage
	people     atomic.Pointer[map[string]storage.Password]
	refreshing sync.Mutex
}

func (s *testStorage) UpdateRefreshToken(ctx context.Context, id string, update func(storage.RefreshToken) (storage.RefreshToken, error)) error {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	old, err := s.GetRefresh(ctx, id)
	if err != nil {
		return err
	}
	updated, err := update(old)
	if err != nil {
		return err
	}
	return s.Storage.UpdateRefreshToken(ctx, id, func(storage.RefreshToken) (storage.RefreshToken, error) {
		return updated, nil
	})
}

func (s *testStorage) GetPassword(_ context.Context, email string) (storage.Password, error) {
	password, found := (*s.people.Load())[strings.ToLower(email)]
	if !found {
		return password, storage.ErrNotFound
	}
	return password, nil
}

func (s *testStorage) replacePeople(people []person) error {
	passwords := map[string]storage.Password{}
	for _, each := range people {
		hash, err := bcrypt.GenerateFromPassword([]byte(each.ClearText), bcrypt.DefaultCost)
		if err != nil {
			return err
		}
		each.Hash = hash
		passwords[strings.ToLower(each.Email)] = each.Password
	}
	s.people.Store(&passwords)
	return nil
}
