import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readOptions } from '../../src/server/settings/options.ts';
import { cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { kubectlMissing } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import {
  codeBlocks,
  curlMissing,
  guideText,
  prepareGuideFolder,
  runBlocks,
  shellBlocks,
  shellBlocksWithRefusals,
} from '../harness/walk-guide.ts';

const missing = ['jq', 'openssl', 'python3'].find((program) => spawnSync(program, ['--version']).error !== undefined);
const reason = missing === undefined ? undefined : `there is no ${missing} on PATH`;

describeIfAvailable(kubectlMissing ?? curlMissing ?? reason, 'the guides', () => {
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

  const walk = (guideBlocks: readonly string[]): Promise<string> => runBlocks(guideBlocks, { folder, flotilla });

  it('lead a virtual cluster through its lifecycle', async () => {
    const printed = await walk(shellBlocks('virtual-clusters.md'));
    expect(printed).toMatch(/"kubeConfig": "apiVersion: v1/);
    expect(printed.match(/condition met/g)).toHaveLength(3);
    expect(printed).toMatch(/"demo" deleted/);
  });

  it('manage spaces from creation to deletion', async () => {
    const printed = await walk(shellBlocks('spaces.md'));
    expect(printed).toContain('configmap/greeting created');
    expect(printed).not.toMatch(/^kube-system/m);
    expect(printed).toMatch(/^test$/m);
    expect(printed).toContain('local/web imported into project "default" as "web"');
    for (const name of ['team-a', 'team-b', 'team-c', 'web']) expect(printed).toContain(`space "${name}" deleted`);
    expect(printed.trim().split('\n').at(-1)).toBe('namespace/web');
  });

  it('give members, auditors and keys their permissions', async () => {
    const printed = await walk(shellBlocks('access.md'));
    expect(printed.match(/^(yes|no)\b/gm)).toEqual(['yes', 'no', 'yes', 'no', 'yes']);
  });

  it('protect host clusters', async () => {
    const printed = await walk(shellBlocks('hosts.md'));
    expect(printed.match(/^(yes|no)\b/gm)).toEqual(['no', 'yes']);
    expect(printed).not.toContain('takeover created');
    expect(printed).toContain('cluster.management.platform.sh/local patched');
    expect(printed).toContain('project.management.platform.sh/red patched');
  });

  it('create, use, limit and revoke access keys', async () => {
    const printed = await walk([
      ...shellBlocks('access-keys.md', 'Create an access key'),
      ...shellBlocks('access-keys.md', 'Use an access key'),
      ...shellBlocks('access-keys.md', 'List, disable and delete access keys'),
      ...shellBlocks('access-keys.md', 'Log in with a password'),
      ...shellBlocks('access-keys.md', 'Create tokens for direct endpoints'),
    ]);
    expect(printed).toMatch(/^nightly .* Active /m);
    expect(printed).toContain('ownedaccesskey.management.platform.sh/nightly patched');
    expect(printed).toContain('ownedaccesskey.management.platform.sh "nightly" deleted');
    expect(printed).toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+$/m);
    const home = cliHome();
    try {
      const login = shellBlocks('access-keys.md', 'Confirm your password for lasting changes')
        .join('\n')
        .replaceAll('https://127.0.0.1:8443', flotilla.url);
      const shell = home.inTerminal(['bash', '-euc', login], { cwd: folder });
      await shell.waitForOutput(/password/i);
      shell.type('correct horse\r');
      await shell.waitForOutput(/as anna/);
      expect(await shell.ended).toBe(0);
    } finally {
      home.remove();
    }
    await walk(shellBlocks('access-keys.md', 'Rotate the signing key'));
  });

  it('use the built-in cluster', async () => {
    const printed = await walk(shellBlocks('built-in-cluster.md'));
    expect(printed).toContain('virtualcluster.storage.platform.sh/demo condition met');
    expect(printed).toMatch(/^inside +Active /m);
    expect(printed).toContain('system-cluster-critical');
    expect(printed).toContain('virtualcluster.storage.platform.sh/demo patched');
  });

  it('create a project with a template and quotas, and show what the server refuses', async () => {
    const guide = guideText('projects-and-templates.md');
    const printed = await walk(shellBlocksWithRefusals('projects-and-templates.md'));
    const [refusals] = guide.split(/^## Delete the project$/m);
    const shown = codeBlocks(refusals ?? '', 'text').flatMap((block) => block.trim().split('\n'));
    expect(shown.length).toBeGreaterThan(4);
    for (const line of shown) expect(printed).toContain(line);
    expect(printed).toMatch(/"payments" deleted/);
    expect(printed.trim().split('\n').at(-1)).toContain('user.management.platform.sh "ana" deleted');
  });

  it('observe the server', async () => {
    expect(await walk(shellBlocks('observe.md', 'Check the health'))).toMatch(/^ok.*readyz check passed/ms);
    expect(await walk(shellBlocks('observe.md', 'Collect metrics'))).toMatch(/^flotilla_replica_leader 1$/m);
    expect(await walk(shellBlocks('observe.md', 'Send traces'))).toBe('200\n');
  });

  it('show the activity of objects', async () => {
    const printed = await walk(shellBlocks('notifications.md', 'See who did what'));
    expect(printed).toMatch(/VirtualClusterInstance\/demo +created$/m);
    expect(printed).toMatch(/VirtualClusterInstance\/demo +became ready$/m);
    expect(await walk(shellBlocks('notifications.md', 'See what needs your attention'))).toMatch(/^ +unread: 0$/m);
    expect(await walk(shellBlocks('notifications.md', 'Get notifications by e-mail'))).toMatch(/receiveMails: false$/m);
    const webhooks = await walk(shellBlocks('notifications.md', 'Send activity to other tools'));
    expect(webhooks).toMatch(/^chat +https:\/\/receiver\.example\.com\/hook +(Pending|Ready) /m);
    expect(webhooks).toContain('"kind":"ProjectWebhookTest"');
    expect(readFileSync(join(folder, 'webhook.secret'), 'utf8')).toMatch(/^whsec_/);
  });

  it('search, export and verify the audit log', async () => {
    await walk([
      ...shellBlocks('audit.md', 'Search the audit log'),
      ...shellBlocks('audit.md', 'Export the audit log'),
    ]);
    expect(readFileSync(join(folder, 'denied.csv'), 'utf8')).toMatch(/^time,received,user,/);
    const printed = await walk([
      `curl -s --cacert .flotilla/ca.crt -H 'Authorization: Bearer wrong' ${flotilla.url}/kubernetes/management/apis >unauthorized.json`,
      ...shellBlocks('audit.md', 'Verify the audit log'),
      ...shellBlocks('audit.md', 'Query the file'),
    ]);
    expect(printed.match(/^no problems in \d+ lines/gm)).toHaveLength(2);
    expect(printed).toMatch(/^ *\d+ "127\.0\.0\.1"$/m);
  });

  it('show usage and costs', async () => {
    const printed = await walk(shellBlocks('usage.md'));
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
    const printed = await walk(shellBlocks('backup.md'));
    expect(printed.match(/is complete and intact/g)).toHaveLength(2);
    expect(printed).toContain('seal.key is the seal key of this backup');
    expect(printed).toMatch(/^Schedule: +0 3 \* \* \* \(UTC\)$/m);
    expect(printed).toContain('there are no backups yet');
    expect(printed).toMatch(/^restored \d+ entries to /m);
  });

  it('manage local accounts', async () => {
    const printed = await walk(shellBlocks('local-accounts.md'));
    expect(printed.match(/^https:.*\/reset#flk_\w{46}$/gm)).toHaveLength(2);
    expect(printed).toMatch(/^reset-\w+ .* anna .*Reset/m);
    expect(printed).toContain('user "anna": has no second factor');
    expect(printed).toMatch(/logged in to .* as admin/);
  });

  it('write a kubeconfig of a virtual cluster for Flux', async () => {
    const folderOfFlux = 'examples/gitops/flux';
    const printed = await walk([
      `kubectl apply -f ${folderOfFlux}/project.yaml && kubectl apply -f ${folderOfFlux}/instances.yaml`,
      'kubectl wait --for=condition=Ready vci/blue --namespace platform-p-previews',
      ...shellBlocks('gitops.md', 'Flux and Argo CD inside a virtual cluster'),
      'kubectl --kubeconfig blue.kubeconfig get namespaces',
    ]);
    expect(printed).toMatch(/^kube-system +Active/m);
  });

  it('restore a backup and give the administrator access', async () => {
    const dataDirectory = { '/var/lib/flotilla': join(folder, 'restored') };
    const restored = await runBlocks(
      ['flotilla access-key create ci-deployments --ttl 30d', ...shellBlocks('operate.md', 'Back up and restore')],
      { folder, flotilla, replace: { ...dataDirectory, '/safe/place': join(folder, '.flotilla') } },
    );
    expect(restored).toMatch(/^restored \d+ entries to /m);
    await flotilla.stop();
    const { host } = new URL(flotilla.url);
    const replace = { ...dataDirectory, 'flotilla start': `flotilla start --listen ${host}` };
    const blocks = shellBlocks('operate.md', 'Get access after a restore');
    const printed = await runBlocks(blocks, { folder, flotilla, replace, isLoggedOut: true });
    expect(printed).toMatch(/^ci-deployments .* Disabled /m);
    expect(printed).toContain('access key "ci-deployments" enabled');
  });

  it('prune objects with an ApplySet', async () => {
    const printed = await walk(shellBlocks('gitops.md', 'kubectl apply --prune'));
    expect(printed).toContain('configmap/web-settings pruned');
  });

  it('import a virtual cluster and remove it', async () => {
    const printed = await walk(shellBlocks('import.md'));
    expect(printed).toMatch(/"kind": "ClusterVirtualClusters".*"name": "demo"/s);
    expect(printed).toMatch(/"kind": "ProjectImportVirtualCluster".*"name": "imported"/s);
    expect(printed).toMatch(/"imported" deleted/);
  });
});
