import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readOptions } from '../../src/server/settings/options.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { kubectlMissing } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import {
  blocksWithRefusals,
  codeBlocks,
  curlMissing,
  guideText,
  prepareGuideFolder,
  runBlocks,
} from '../harness/walk-guide.ts';

describeIfAvailable(kubectlMissing ?? curlMissing, 'the guides', () => {
  let folder: string;
  let flotilla: FlotillaProcess;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'guide-'));
    prepareGuideFolder(folder);
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
  const walk = (guide: string, section?: string): Promise<string> =>
    runBlocks(codeBlocks(guideText(guide, section), 'sh'), { folder, flotilla });

  it('lead a virtual cluster through its lifecycle', async () => {
    const printed = await walk('virtual-clusters.md');
    expect(printed).toMatch(/"kubeConfig": "apiVersion: v1/);
    expect(printed.match(/condition met/g)).toHaveLength(3);
    expect(printed).toMatch(/"demo" deleted/);
  });

  it('manage spaces from creation to deletion', async () => {
    const printed = await walk('spaces.md');
    expect(printed).toContain('configmap/greeting created');
    expect(printed).not.toMatch(/^kube-system/m);
    expect(printed).toMatch(/^test$/m);
    expect(printed).toContain('local/web imported into project "default" as "web"');
    for (const name of ['team-a', 'team-b', 'team-c', 'web']) expect(printed).toContain(`space "${name}" deleted`);
    expect(printed.trim().split('\n').at(-1)).toBe('namespace/web');
  });

  it('give members, auditors and keys their permissions', async () => {
    const printed = await walk('access.md');
    expect(printed.match(/^(yes|no)\b/gm)).toEqual(['yes', 'no', 'yes', 'no', 'yes']);
  });

  it('protect host clusters', async () => {
    const printed = await walk('hosts.md');
    expect(printed.match(/^(yes|no)\b/gm)).toEqual(['no', 'yes']);
    expect(printed).not.toContain('takeover created');
    expect(printed).toContain('cluster.management.platform.sh/local patched');
    expect(printed).toContain('project.management.platform.sh/red patched');
  });

  it('create, use, limit and revoke access keys', async () => {
    const guide = guideText('access-keys.md');
    // This login asks for the password at a terminal; test/e2e/cli-terminal.test.ts covers it.
    const blocks = codeBlocks(guide, 'sh').filter((block) => !block.startsWith('flotilla login '));
    expect(blocks).toHaveLength(codeBlocks(guide, 'sh').length - 1);
    const create = 'echo "correct horse" | flotilla user create anna --password-stdin\n';
    const script = [create, ...blocks].map((block) => block.replace('"password":"…"', '"password":"correct horse"'));
    const printed = await runBlocks(script, { folder, flotilla });
    expect(printed).toMatch(/^nightly .* Active /m);
    expect(printed).toContain('ownedaccesskey.management.platform.sh/nightly patched');
    expect(printed).toContain('ownedaccesskey.management.platform.sh "nightly" deleted');
    expect(printed).toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+$/m);
  });

  it('use the built-in cluster', async () => {
    const printed = await walk('built-in-cluster.md');
    expect(printed).toContain('virtualcluster.storage.platform.sh/demo condition met');
    expect(printed).toMatch(/^inside +Active /m);
    expect(printed).toContain('system-cluster-critical');
    expect(printed).toContain('virtualcluster.storage.platform.sh/demo patched');
  });

  it('create a project with a template and quotas, and show what the server refuses', async () => {
    const guide = guideText('projects-and-templates.md');
    const printed = await runBlocks(blocksWithRefusals(guide), { folder, flotilla });
    const [refusals] = guide.split(/^## Delete the project$/m);
    const shown = codeBlocks(refusals ?? '', 'text').flatMap((block) => block.trim().split('\n'));
    expect(shown.length).toBeGreaterThan(4);
    for (const line of shown) expect(printed).toContain(line);
    expect(printed).toMatch(/"payments" deleted/);
    expect(printed.trim().split('\n').at(-1)).toContain('user.management.platform.sh "ana" deleted');
  });

  it('observe the server', async () => {
    expect(await walk('observe.md', 'Check the health')).toMatch(/^ok.*readyz check passed/ms);
    expect(await walk('observe.md', 'Collect metrics')).toMatch(/^flotilla_replica_leader 1$/m);
    expect(await walk('observe.md', 'Send traces')).toBe('200\n');
  });

  it('search, export and verify the audit log', async () => {
    await walk('audit.md', 'Search the audit log');
    await walk('audit.md', 'Export the audit log');
    expect(readFileSync(join(folder, 'denied.csv'), 'utf8')).toMatch(/^time,received,user,/);
    const printed = await walk('audit.md', 'Verify the audit log');
    expect(printed.match(/^no problems in \d+ lines/gm)).toHaveLength(2);
  });

  it('show usage and costs', async () => {
    const printed = await walk('usage.md');
    expect(printed).toMatch(/^AMOUNT +VALUE$/m);
    expect(printed).toContain('"kind":"Usage"');
    expect(printed).toMatch(/^\d+\.\d+ EUR$/m);
    expect(readFileSync(join(folder, 'usage.csv'), 'utf8')).toMatch(/^start,seconds,requests,/);
  });

  it('make, verify and restore backups', async () => {
    for (const [index, yaml] of codeBlocks(guideText('backup.md'), 'yaml').entries()) {
      writeFileSync(join(folder, `settings-${index}.yaml`), yaml);
      expect((await readOptions({ config: join(folder, `settings-${index}.yaml`) })).backup).toBeDefined();
    }
    const settings = { schedule: '0 3 * * *', directory: join(folder, 'backups') };
    writeFileSync(join(folder, 'settings.yaml'), JSON.stringify({ backup: settings }));
    await flotilla.stop();
    const args = ['--config', join(folder, 'settings.yaml')];
    flotilla = await startFlotilla({ dataDirectory: join(folder, '.flotilla'), args });
    const printed = await walk('backup.md');
    expect(printed.match(/is complete and intact/g)).toHaveLength(2);
    expect(printed).toContain('seal.key is the seal key of this backup');
    expect(printed).toMatch(/^Schedule: +0 3 \* \* \* \(UTC\)$/m);
    expect(printed).toContain('there are no backups yet');
    expect(printed).toMatch(/^restored \d+ entries to /m);
  });

  it('manage local accounts', async () => {
    const printed = await walk('local-accounts.md');
    expect(printed.match(/^https:.*\/reset#flk_\w{46}$/gm)).toHaveLength(2);
    expect(printed).toMatch(/^reset-\w+ .* anna .*Reset/m);
    expect(printed).toContain('user "anna": has no second factor');
    expect(printed).toMatch(/logged in to .* as admin/);
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
