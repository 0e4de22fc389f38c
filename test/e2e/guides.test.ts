import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { kubectlMissing } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const root = new URL('../..', import.meta.url).pathname;
const curlMissing = spawnSync('curl', ['--version']).status === 0 ? undefined : 'there is no curl on PATH';

describeIfAvailable(kubectlMissing ?? curlMissing, 'the guides', () => {
  let folder: string;
  let flotilla: FlotillaProcess;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'guide-'));
    symlinkSync(join(root, 'examples'), join(folder, 'examples'));
    flotilla = await startFlotilla({ dataDirectory: join(folder, '.flotilla') });
  });
  afterEach(async () => {
    await flotilla.remove();
    rmSync(folder, { recursive: true });
  });

  /**
   * Runs every shell block of a guide, or of one section of it, in order, as a reader would type them, with this server's
   * address.
   */
  async function walk(guide: string, section?: string): Promise<string> {
    const whole = readFileSync(join(root, 'docs/guides', guide), 'utf8');
    const text =
      section === undefined ? whole : (whole.split(/^## /m).find((one) => one.startsWith(`${section}\n`)) ?? '');
    const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
    expect(blocks.length).toBeGreaterThan(0);
    const script = blocks.join('\n').replaceAll('https://127.0.0.1:8443', flotilla.url);
    const env = { ...process.env, KUBECONFIG: flotilla.kubeconfig, KUBECACHEDIR: join(folder, 'cache') };
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env });
    return stdout;
  }

  it('lead a virtual cluster through its lifecycle', async () => {
    const printed = await walk('virtual-clusters.md');
    expect(printed).toMatch(/"kubeConfig": "apiVersion: v1/);
    expect(printed.match(/condition met/g)).toHaveLength(3);
    expect(printed).toMatch(/"demo" deleted/);
  });

  it('give members, auditors and keys their permissions', async () => {
    const printed = await walk('access.md');
    expect(printed.match(/^(yes|no)\b/gm)).toEqual(['yes', 'no', 'yes', 'no', 'yes']);
  });

  it('prune objects with an ApplySet', async () => {
    const printed = await walk('gitops.md', 'kubectl apply --prune');
    expect(printed).toContain('configmap/web-settings pruned');
  });

  it('import a virtual cluster and remove it', async () => {
    const printed = await walk('import.md');
    expect(printed).toMatch(/"kind": "ClusterVirtualClusters".*"name": "demo"/s);
    expect(printed).toMatch(/"kind": "ProjectImportVirtualCluster".*"name": "imported"/s);
    expect(printed).toMatch(/"imported" deleted/);
  });
});
