import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startChurnServer } from '../harness/churn/churn-server.ts';
import type { FlotillaProcess } from '../harness/flotilla-process.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const goMissing = spawnSync('go', ['version']).status === 0 ? undefined : 'there is no Go on PATH';
const module = new URL('../clients/go/', import.meta.url).pathname;

describeIfAvailable(goMissing, 'client-go and controller-runtime', () => {
  let flotilla: FlotillaProcess;
  let output: string;

  beforeAll(async () => {
    flotilla = await startChurnServer();
    const env = { ...process.env, FLOTILLA_KUBECONFIG: flotilla.kubeconfig };
    // The long tests mostly wait, so they run in parallel regardless of the number of CPUs.
    const run = promisify(execFile)('go', ['test', '-count=1', '-vet=off', '-trimpath', '-parallel=4', '-v', './...'], {
      cwd: module,
      env,
      maxBuffer: 1 << 24,
    });
    output = await run.then(
      ({ stdout }) => stdout,
      (error: { stdout: string; stderr: string }) => `${error.stdout}${error.stderr}`,
    );
  }, 1_200_000);
  afterAll(() => flotilla.remove());

  it.each([
    ['reads namespaces in protobuf (NEG-06, CLIENT-15)', 'TestNamespacesAreReadAndNotWritten'],
    ['writes events of both groups in protobuf (NEG-06)', 'TestEventsOfBothGroupsAreTheSameObjects'],
    ['counts events that happen again by strategic merges (PATCH-01)', 'TestRecordersCountWhatHappensAgain'],
    ['reviews rights and identity in protobuf (NEG-06, AUTHZ-01)', 'TestReviewsAnswer'],
    ['informs of every change once, from a streamed list on (CLIENT-01, WATCH-08)', 'TestInformerSeesEveryChangeOnce'],
    ['and of what the server itself writes to an instance (CLIENT-01)', 'TestInformerSeesAnInstanceBecomeReady'],
    [
      'an informer sees every version once and in order under churn, despite conflicts, lost connections and a 410, in JSON (CLIENT-04, CLIENT-07, CLIENT-10, CLIENT-13, WATCH-05, WATCH-17, WATCH-20, WATCH-21, WATCH-25, WATCH-26)',
      'TestChurnOfCustomObjectsWithTheDynamicClient',
    ],
    [
      'an informer does the same in protobuf, for leases (NEG-06, CLIENT-04, CLIENT-07, CLIENT-23, UPDATE-09, WATCH-05, WATCH-17, WATCH-26)',
      'TestChurnOfLeasesWithTheTypedClient',
    ],
    [
      'managers elect one leader at a time and reconcile everything, however often leaders stop (CLIENT-14, CLIENT-23)',
      'TestManagersElectOneLeaderAtATime',
    ],
    [
      'typed clients use every verb of the core kinds in protobuf alone (NEG-06, PATCH-01, SSA-07, WATCH-01)',
      'TestCoreKindsAreWalkedInProtobuf',
    ],
    ['through roles and bindings (NEG-06, PATCH-01)', 'TestRolesAndBindingsAreWalkedInProtobuf'],
    ['through admission policies (NEG-06, PATCH-01)', 'TestAdmissionPoliciesAreWalkedInProtobuf'],
    ['and through custom resource definitions (NEG-06, PATCH-01)', 'TestDefinitionsAreWalkedInProtobuf'],
    ['reads the metadata of objects in protobuf (NEG-14, CLIENT-17)', 'TestMetadataIsReadInProtobuf'],
    ['reviews rights and tokens there in protobuf (NEG-06)', 'TestReviewsAndTokensAnswerInProtobuf'],
    ['uses custom objects with the dynamic and the scale client (PATCH-02)', 'TestCustomObjectsWithTheDynamicClient'],
    ['reconciles custom objects under an elected leader (CLIENT-14, GC-01)', 'TestControllerWithAnElectedLeader'],
    ['installs the definitions of a large operator (DEC-20)', 'TestDefinitionsOfALargeOperatorAreInstalled'],
  ])('%s', (_name, test) => {
    expect(output).toContain(`--- PASS: ${test} `);
  });
});
