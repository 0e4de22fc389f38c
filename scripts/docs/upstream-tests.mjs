import { load } from 'js-yaml';
import { read } from '../check/sources.mjs';
import { codes, paragraph, table } from './markdown.mjs';

/** The section about the tests of Kubernetes that run on virtual clusters, and the others with their reasons. */
export function upstreamTestsSection() {
  const { run, runToo, leftOut } = load(read('test/conformance/upstream/tests.yaml'));
  const version = /k8s\.io\/kubernetes (v\S+)/.exec(read('test/tools/kubernetes-e2e/go.mod'))?.[1];
  const all = run.length + leftOut.reduce((sum, { tests }) => sum + tests.length, 0);
  return [
    "## Kubernetes' own tests",
    '',
    paragraph(
      `Kubernetes ${version} has ${all} conformance tests. \`npm run test:conformance\` runs ${run.length} of them on`,
      `virtual clusters of a server, and ${runToo.length} other tests of the same suite.`,
      'The other conformance tests are left out:',
    ),
    '',
    table(['because they', 'tests'], countsByReason(leftOut)),
    '',
    paragraph(
      'The list is in `test/conformance/upstream/tests.yaml`. The program that runs the tests differs from `e2e.test`',
      'of a Kubernetes release in its setup only. `e2e.test` itself needs `--allowed-not-ready-nodes=-1` (its setup',
      'does not wait for nodes, system pods and daemon sets, and no test waits for nodes at its end), `--num-nodes=0`',
      '(the setup does not count the nodes) and `--e2e-verify-service-account=false` (tests do not wait for',
      '`kube-root-ca.crt`). `--provider=skeleton` is its default. The only object that its setup then reads is the',
      'Service `default/kubernetes`, which a virtual cluster does not have: the setup of `e2e.test` fails there.',
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
