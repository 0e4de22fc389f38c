// Command etcd-v3.5 is the oldest etcd that a store supports, built from its published modules.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
