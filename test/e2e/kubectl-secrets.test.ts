import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Canaries } from '../harness/canaries.ts';
import { dataFiles } from '../harness/data-files.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const group = 'management.platform.sh';

type ManifestPart = 'name' | 'displayName' | 'member' | 'value';

const manifest = (kind: string, { name, displayName, member, value }: Record<ManifestPart, string>) => `
apiVersion: ${group}/v1
kind: ${kind}
metadata:
  name: ${name}
spec:
  displayName: ${displayName}
  ${member}: '${value}'
`;

describeIfAvailable(kubectlMissing, 'secrets in manifests that kubectl applies', () => {
  let flotilla: FlotillaProcess;
  let kubectl: Kubectl;
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-e2e-'));
  const canaries = new Canaries();

  beforeAll(async () => {
    const config = join(folder, 'config.yaml');
    // The kubeconfig of the test names a loopback address, which must be allowed.
    writeFileSync(config, 'audit: {rules: [{level: RequestResponse}]}\nhosts: {deniedCIDRs: []}\n');
    flotilla = await startFlotilla({ args: ['--config', config, '--log-level', 'debug'] });
    kubectl = kubectlWith(flotilla.kubeconfig);
  });
  afterAll(async () => {
    await flotilla.remove();
    rmSync(folder, { recursive: true });
  });

  const kubeconfig = (token: string) =>
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'u', user: { token } }],
    });
  const secrets: [string, string, string, (canary: string) => string][] = [
    ['OwnedAccessKey', 'ownedaccesskeys', 'key', (canary) => canary],
    ['User', 'users', 'password', (canary) => canary],
    ['Cluster', 'clusters', 'kubeconfig', kubeconfig],
  ];

  it.each(secrets)(
    'leaves no trace of a %s’s in stored or printed data (completions §5)',
    async (kind, plural, member, textOf) => {
      const path = join(folder, 'one.yaml');
      const apply = async (displayName: string, ...options: string[]): Promise<string> => {
        const canary = canaries.make(`${kind} ${displayName}`);
        writeFileSync(path, manifest(kind, { name: 'one', displayName, member, value: textOf(canary) }));
        return await kubectl.ok(['apply', '-f', path, ...options]);
      };
      expect(await apply('first')).toContain('created');
      expect(await apply('second')).toContain('configured');
      expect(await apply('third', '--server-side', '--force-conflicts')).toContain('serverside-applied');
      expect(await apply('fourth', '--dry-run=server')).toContain('dry run');
      const shown: string[] = [];
      for (const args of [
        ['get', plural, 'one', '-o', 'yaml', '--show-managed-fields'],
        ['get', plural, '-o', 'json'],
        ['get', plural, '-o', 'wide'],
        ['describe', plural, 'one'],
      ]) {
        shown.push(await kubectl.ok(args));
      }
      expect(shown.join()).toContain('third');
      expect(canaries.foundIn(shown.join('\n'))).toEqual([]);
      expect(canaries.foundIn(await dataFiles(flotilla.dataDirectory))).toEqual([]);
      expect(canaries.foundIn(flotilla.output())).toEqual([]);
    },
  );
});
