package main

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	"k8s.io/kubernetes/test/e2e/framework/testfiles"
	e2etestingmanifests "k8s.io/kubernetes/test/e2e/testing-manifests"
	testfixtures "k8s.io/kubernetes/test/fixtures"
)

// A run that is not complete after this time has tests that wait for something that does not come.
const runLimit = 10 * time.Minute

// The last part of the log of a failed test that goes into its result.
const logLimit = 6000

// result is one line of the results file.
type result struct {
	Name    string  `json:"name"`
	State   string  `json:"state"`
	Seconds float64 `json:"seconds"`
	Message string  `json:"message,omitempty"`
	Log     string  `json:"log,omitempty"`
}

// writeResults writes the results of the named tests, as lines of JSON.
func writeResults(file string, names []string, reports ginkgo.Report) error {
	output, err := os.Create(file)
	if err != nil {
		return err
	}
	defer output.Close()
	lines := json.NewEncoder(output)
	for _, report := range reports.SpecReports {
		if !slices.Contains(names, report.FullText()) {
			continue
		}
		line := result{
			Name:    report.FullText(),
			State:   report.State.String(),
			Seconds: report.RunTime.Seconds(),
			Message: report.FailureMessage(),
		}
		if report.Failed() {
			line.Message = report.FailureLocation().String() + "\n" + report.FailureMessage()
			log := report.CapturedGinkgoWriterOutput
			line.Log = log[max(0, len(log)-logLimit):]
		}
		if err := lines.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// noFailure is in place of the *testing.T of e2e.test: the results tell which tests failed.
type noFailure struct{}

func (noFailure) Fail() {}

func runTests(kubeconfig, namesFile, resultsFile string) error {
	names, err := readNames(namesFile)
	if err != nil {
		return err
	}
	if err := configureFramework(kubeconfig); err != nil {
		return err
	}
	gomega.RegisterFailHandler(framework.Fail)
	suiteConfig, reporterConfig := framework.CreateGinkgoConfig()
	suiteConfig.RandomizeAllSpecs = false
	suiteConfig.Timeout = runLimit
	for _, name := range names {
		suiteConfig.FocusStrings = append(suiteConfig.FocusStrings, regexp.QuoteMeta(name)+"$")
	}
	ginkgo.ReportAfterSuite("results", func(report ginkgo.Report) {
		framework.ExpectNoError(writeResults(resultsFile, names, report))
	})
	reporterConfig.NoColor = true
	reporterConfig.Succinct = true
	ginkgo.RunSpecs(noFailure{}, "Kubernetes", suiteConfig, reporterConfig)
	return nil
}

// configureFramework sets the flags of e2e.test and their defaults.
func configureFramework(kubeconfig string) error {
	flags := flag.NewFlagSet("e2e.test", flag.ContinueOnError)
	config.CopyFlags(config.Flags, flags)
	framework.RegisterCommonFlags(flags)
	framework.RegisterClusterFlags(flags)
	if err := flags.Parse([]string{
		"--kubeconfig=" + kubeconfig,
		"--provider=skeleton",
		// Neither the start of a run nor the end of a test waits for nodes.
		"--allowed-not-ready-nodes=-1",
		"--num-nodes=0",
		// The dump lists pods and nodes.
		"--dump-logs-on-failure=false",
	}); err != nil {
		return err
	}
	testfiles.AddFileSource(e2etestingmanifests.GetE2ETestingManifestsFS())
	testfiles.AddFileSource(testfixtures.GetTestFixturesFS())
	framework.AfterReadingAllFlags(&framework.TestContext)
	return nil
}
