import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const goMissing = spawnSync('go', ['version']).status === 0 ? undefined : 'there is no Go on PATH';
const module = new URL('../clients/loft/', import.meta.url).pathname;

describeIfAvailable(goMissing, 'the typed client of loft-sh/api with the API word loft', () => {
  let flotilla: FlotillaProcess;
  let output: string;

  beforeAll(async () => {
    flotilla = await startFlotilla({ environment: { FLOTILLA_API_WORD: 'loft' } });
    const env = { ...process.env, FLOTILLA_KUBECONFIG: flotilla.kubeconfig };
    const run = promisify(execFile)('go', ['test', '-count=1', '-vet=off', '-trimpath', '-v', './...'], {
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
    ['identifies the caller', 'TestSelf'],
    ['creates, watches, changes and deletes an instance', 'TestInstanceLife'],
    ['puts an instance to sleep, wakes it, and gets its kubeconfig', 'TestSleepAndKubeconfig'],
    ['manages a project and reads its members, templates and clusters', 'TestProjectLife'],
    ['manages an access key with a scope', 'TestOwnedAccessKeyLife'],
    ['manages a template', 'TestTemplateLife'],
    ['manages users and teams, and reads clusters', 'TestUsersTeamsAndClusters'],
    ['creates tokens and reviews', 'TestTokensAndReviews'],
    ['finds no objects of kinds that this server does not have', 'TestKindsWithoutObjects'],
    ['reads what the caller may do with an instance', 'TestExtendedReads'],
  ])('%s', (_name, test) => {
    expect(output).toContain(`--- PASS: ${test} `);
  });
});
