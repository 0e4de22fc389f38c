import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { describeWith } from '../harness/suite.ts';

const goMissing = spawnSync('go', ['version']).status === 0 ? undefined : 'there is no Go on PATH';
const module = new URL('../clients/go/', import.meta.url).pathname;

describeWith(goMissing, 'client-go', () => {
  let flotilla: FlotillaProcess;
  let output: string;

  beforeAll(async () => {
    flotilla = await startFlotilla();
    const env = { ...process.env, FLOTILLA_KUBECONFIG: flotilla.kubeconfig };
    const run = promisify(execFile)('go', ['test', '-count=1', '-v', './...'], {
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
    ['reviews rights and identity in protobuf (NEG-06, AUTHZ-01)', 'TestReviewsAnswer'],
    ['informs of every change once, from a streamed list on (CLIENT-01, WATCH-08)', 'TestInformerSeesEveryChangeOnce'],
  ])('%s', (_name, test) => {
    expect(output).toContain(`--- PASS: ${test}`);
  });
});
