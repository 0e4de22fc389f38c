package main

import (
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	conformancetestdata "k8s.io/kubernetes/test/conformance/testdata"
	"sigs.k8s.io/yaml"
)

// printConformanceTests prints the names in the list that Kubernetes publishes.
func printConformanceTests(output io.Writer) error {
	text, err := conformancetestdata.GetConformanceTestdataFS().ReadTestFile("test/conformance/testdata/conformance.yaml")
	if err != nil {
		return err
	}
	var tests []struct {
		Codename string `json:"codename"`
	}
	if err := yaml.Unmarshal(text, &tests); err != nil {
		return err
	}
	for _, test := range tests {
		fmt.Fprintln(output, test.Codename)
	}
	return nil
}

func printContainedTests(output io.Writer) error {
	var names []string
	for _, spec := range ginkgo.PreviewSpecs("Kubernetes").SpecReports {
		if spec.LeafNodeType == types.NodeTypeIt {
			names = append(names, spec.FullText())
		}
	}
	sort.Strings(names)
	_, err := fmt.Fprintln(output, strings.Join(names, "\n"))
	return err
}

func readNames(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(text), func(character rune) bool { return character == '\n' }), nil
}
