// Command etcd is the real etcd, built from its published modules; kube-apiserver stores its objects there.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
