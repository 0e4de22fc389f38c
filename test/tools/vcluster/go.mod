module flotilla.test/vcluster

go 1.26.0

// Only its Helm chart is used: nothing is built.
require github.com/loft-sh/vcluster v0.30.0
