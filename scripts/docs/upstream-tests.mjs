import { load } from 'js-yaml';
import { read } from '../check/sources.mjs';
import { codes, paragraph, table } from './markdown.mjs';

/**
 * Returns the section about the Kubernetes tests that run on virtual clusters, and about the tests that do not run,
 * with the reasons.
 */
export function upstreamTestsSection() {
  const { run, runWithNode, runWithControllers, runToo, leftOut } = load(read('test/conformance/upstream/tests.yaml'));
  const version = /k8s\.io\/kubernetes (v\S+)/.exec(read('test/tools/kubernetes-e2e/go.mod'))?.[1];
  const conformance = run.length + runWithNode.length + runWithControllers.length;
  const all = conformance + leftOut.reduce((sum, { tests }) => sum + tests.length, 0);
  return [
    "## Kubernetes' own tests",
    '',
    paragraph(
      `Kubernetes ${version} has ${all} conformance tests. \`npm run test:conformance\` runs ${conformance} of them on`,
      `virtual clusters of a server, and ${runToo.length} other tests of the same suite.`,
      `${runWithNode.length} of the conformance tests take the name of a Node or require one that is ready; their virtual`,
      'cluster has a stored Node, on which nothing runs.',
      `${runWithControllers.length} of them test objects that controllers create; for their virtual cluster, a`,
      'kube-controller-manager runs.',
      'The other conformance tests are left out:',
    ),
    '',
    table(['because they', 'tests'], countsByReason(leftOut)),
    '',
    paragraph(
      'The list is in `test/conformance/upstream/tests.yaml`. The program that runs the tests has the setup of',
      '`e2e.test` of a Kubernetes release. Both need `--allowed-not-ready-nodes=-1` (the setup does not wait for nodes,',
      'system pods and daemon sets, and no test waits for nodes at its end) and `--num-nodes=0` (the setup does not',
      'count the nodes). `--provider=skeleton` is the default. The only object that the setup then reads is the Service',
      '`default/kubernetes`. The virtual cluster needs the full set of kinds.',
    ),
    '',
  ];
}

function countsByReason(leftOut) {
  const counts = new Map();
  for (const { needs, asksFor, tests } of leftOut) {
    const reason = needs === undefined ? `ask for ${codes(asksFor)}, not served` : `need ${needs}`;
    counts.set(reason, (counts.get(reason) ?? 0) + tests.length);
  }
  return [...counts];
}
