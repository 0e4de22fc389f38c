import { expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import {
  type ReplicaList,
  type ReplicaStatus,
  replicaListKind,
  replicasApiVersion,
  replicasPath,
} from '../../src/api/replicas/replica-list.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';

const group = `/apis/${managementGroup}/v1`;

const healthy: ReplicaStatus = {
  name: 'flotilla-0',
  isThis: true,
  version: '1.2.0',
  address: 'https://10.0.0.1:8443',
  isLeader: true,
  shards: 40,
  lagSeconds: 0.4,
  clockSkewSeconds: 0,
  hasSameSettings: true,
  schemas: [1, 2],
  isOutdated: false,
};
const replicas: ReplicaList = {
  kind: replicaListKind,
  apiVersion: replicasApiVersion,
  schema: 2,
  items: [
    healthy,
    {
      ...healthy,
      name: 'flotilla-1',
      isThis: false,
      isLeader: false,
      shards: 24,
      lagSeconds: 9,
      clockSkewSeconds: -3,
      hasSameSettings: false,
    },
  ],
};

describeConsole('a new installation', (env) => {
  it('has a checklist, in which steps become done, and which disappears when all are done', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey);
    const checklist = page.getByRole('region', { name: 'Set up this installation' });
    const step = (text: string) => checklist.getByRole('listitem').filter({ hasText: text });
    await step('Connect a cluster (done)').waitFor();
    await step('Create a virtual cluster').waitFor();
    expect(await step('Create a virtual cluster (done)').count()).toBe(0);
    expect(await violationsInEveryLook(page, 'checklist')).toEqual([]);
    await env.admin.createInstance('shop');
    await step('Create a virtual cluster (done)').waitFor();
    await env.admin.request('POST', `${group}/virtualclustertemplates`, {
      metadata: { name: 'small' },
      spec: { template: {} },
    });
    await step('Create a template (done)').waitFor();
    expect(await step('Invite people (done)').count()).toBe(0);
    await env.admin.createUser('anna', 'a password for tests');
    await checklist.waitFor({ state: 'hidden' });
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('lists the servers that share a store, and the problems of each', async () => {
    const watched = await env.open();
    const { page } = watched;
    await page.route(`**${replicasPath}`, (route) => route.fulfill({ json: replicas }));
    await signIn(page, env.flotilla.adminKey, '/system');
    const table = page.getByRole('region', { name: 'State of the servers' });
    const row = (name: string) => table.getByRole('row').filter({ hasText: name });
    await row('flotilla-0 (this server)').getByText('Healthy', { exact: true }).waitFor();
    await row('flotilla-0').getByText('Leader, 40 of 64 shards').waitFor();
    await row('flotilla-0').getByText('0.4 s', { exact: true }).waitFor();
    await row('flotilla-1').getByText('Degraded', { exact: true }).waitFor();
    for (const problem of [
      'Its caches are not confirmed as current.',
      'Its clock is 3.0 s behind this server.',
      'Its limits, permissions or API prefix differ from those of this server.',
    ])
      await row('flotilla-1').getByText(problem, { exact: true }).waitFor();
    expect(await violationsInEveryLook(page, 'servers')).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('shows the commands that install the command line on the chosen system', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/cli');
    const systems = page.getByRole('radiogroup', { name: 'Operating system' });
    const install = page.getByText('--strip-components=1');
    await install.filter({ hasText: 'flotilla_*_linux_*.tar.gz' }).waitFor();
    expect(await systems.getByLabel('Linux').isChecked()).toBe(true);
    await systems.getByText('macOS').click();
    await install.filter({ hasText: 'shasum -a 256' }).waitFor();
    await systems.getByText('Windows').click();
    await page.getByText(', in PowerShell').waitFor();
    await install.filter({ hasText: 'windows_amd64' }).waitFor();
    await page.getByText(`flotilla login ${env.flotilla.url}`).waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });
});
