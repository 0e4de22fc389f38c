import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { type Flotilla, openFlotilla } from './harness/open-flotilla.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'the CLI with a real cluster', () => {
  let kubernetes: Kubernetes;
  let flotilla: Flotilla;
  let home: CliHome;

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    [kubernetes, flotilla] = await Promise.all([startKubernetes({ programs }), openFlotilla({ programs })]);
    home = cliHome();
    home.env.KUBECONFIG = `${home.folder}/kubeconfig`;
    const input = await flotilla.bench.adminKey();
    const login = ['login', flotilla.server.url, '--ca-file', flotilla.bench.file('ca.crt'), '--access-key-stdin'];
    await home.ok(login, { input });
  });
  afterAll(async () => {
    home?.remove();
    await flotilla?.close();
    await kubernetes?.stop();
  });

  it('connects it, creates a virtual cluster there, reads its log, imports another, and deletes everything', async () => {
    const added = await home.ok(['cluster', 'add', 'paris', '--kubeconfig', kubernetes.kubeconfig]);
    expect(added).toBe('cluster "paris" created\n');
    await flotilla.admin.ok(['wait', 'cluster/paris', '--for=condition=Ready', '--timeout=30s']);
    expect(await home.ok(['cluster', 'list'])).toMatch(/^paris +Initialized +true +kubeconfig/m);
    // The credentials stay on the server.
    expect(await home.ok(['cluster', 'get', 'paris', '-o', 'yaml'])).not.toContain('kubeconfig:');

    const made = await home.run(['create', 'far', '--cluster', 'paris', '--wait', '--timeout', '2m']);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('on cluster "paris"') });
    expect(made.stderr).toMatch(/✓ VirtualClusterDeployed .*✓ Ready /s);
    const inside = ['connect', 'far', '--', 'kubectl', 'create', 'namespace', 'web'];
    expect(await home.ok(inside)).toBe('namespace/web created\n');
    expect((await home.run(['logs', 'far', '--tail', '5'])).code).toBe(0);

    await kubernetes.installByHand({ namespace: 'by-hand', name: 'old' });
    expect(await home.ok(['importable', 'paris'])).toMatch(/^paris\/by-hand\/old /m);
    expect(await home.ok(['import', 'paris/by-hand/old', '--external'])).toMatch(/imported into .* as "old"\n/);
    expect(await home.ok(['connect', 'old', '--', 'kubectl', 'get', 'ns', '-o', 'name'])).toContain(
      'namespace/default',
    );

    expect(await home.ok(['delete', 'old', 'far', '--wait', '--timeout', '2m'])).toBe(
      'virtual cluster "old" deleted\nvirtual cluster "far" deleted\n',
    );
    await home.ok(['cluster', 'delete', 'paris']);
  }, 240_000);
});
