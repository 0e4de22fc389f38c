import { beforeAll, expect, it } from 'vitest';
import {
  auditorsGroup,
  managementGroup,
  projectNamespace,
  projectRoles,
  quarantineAnnotation,
  storageGroup,
  storageVersion,
} from '../../src/api/naming.ts';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';

const group = `/apis/${managementGroup}/v1`;
const password = 'correct horse battery';

describeConsole('the pages for security officers and operators', (env) => {
  beforeAll(async () => {
    await env.admin.createUser('anna', password, { displayName: 'Anna Smith' });
    await env.admin.createUser('rita', password, { groups: [auditorsGroup] });
    await env.admin.request('POST', `${group}/teams`, { metadata: { name: 'ops' }, spec: { users: ['anna'] } });
    await env.admin.request('PATCH', `${group}/projects/default`, {
      spec: { members: [{ kind: 'Team', name: 'ops', clusterRole: projectRoles.user }] },
    });
    const access = [{ name: 'lookers', verbs: ['get', 'use'], teams: ['ops'] }];
    await env.admin.createInstance('shop', { spec: { access } });
  });

  it('show what somebody may do and by which grant, and who has access to an object', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signInAs(page, 'rita', password);
    await page.getByRole('link', { name: 'Effective access' }).click();
    await page.getByText('Choose a user, a team or an access key.').waitFor();
    await page.getByRole('combobox', { name: 'User or team' }).fill('smith');
    await page.getByRole('option', { name: /Anna Smith/ }).click();
    const permissions = page.getByRole('region', { name: 'Permissions', exact: true });
    const line = permissions.getByRole('row').filter({ hasText: 'Virtual cluster default/shop' });
    await line.getByText('team ops → access entry "lookers" of the object').waitFor();
    expect(await violationsInEveryLook(page)).toEqual([]);

    await page.getByText('By object', { exact: true }).click();
    await page.getByRole('combobox', { name: 'Object', exact: true }).fill('shop');
    await page.getByRole('option', { name: 'default/shop' }).click();
    await permissions
      .getByRole('row')
      .filter({ hasText: 'User anna' })
      .getByText(/"lookers"/)
      .waitFor();
    await page.getByLabel('Kind of object').selectOption('Project');
    await page.getByRole('combobox', { name: 'Object', exact: true }).fill('default');
    await page.getByRole('option', { name: 'default' }).click();
    const rowOfTeam = permissions.getByRole('row').filter({ has: page.getByRole('link', { name: 'Team ops' }) });
    await rowOfTeam.getByText('user of the project').waitFor();
    // The URL contains the selected object, so a user can send the query to a colleague.
    expect(new URL(page.url()).searchParams.get('object')).toBe('project/default');
    await page.reload();
    await rowOfTeam.waitFor();
    expect(await violationsInEveryLook(page)).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('list quarantined virtual clusters; only administrators lift the quarantine', async () => {
    await env.admin.createInstance('stuck');
    const instance = `${group}/namespaces/${projectNamespace('default')}/virtualclusterinstances/stuck`;
    type Instance = {
      spec: { clusterRef: { namespace: string; virtualCluster: string } };
      status?: { phase?: string; reason?: string };
    };
    const read = () => env.admin.request<Instance>('GET', instance);
    await expect.poll(async () => (await read()).status?.phase, { timeout: 20_000 }).toBe('Ready');
    const { namespace, virtualCluster } = (await read()).spec.clusterRef;
    const hosted = `/apis/${storageGroup}/${storageVersion}/namespaces/${namespace}/virtualclusters/${virtualCluster}`;
    await env.admin.requestOnCluster('local', 'PATCH', hosted, {
      metadata: { annotations: { [quarantineAnnotation]: 'it stalled its worker thread, 2 times within 10 minutes' } },
    });
    await expect.poll(async () => (await read()).status?.reason, { timeout: 20_000 }).toBe('Quarantined');

    const auditor = await env.open();
    await signInAs(auditor.page, 'rita', password, '/system');
    const list = ({ page }: typeof auditor) => page.getByRole('region', { name: 'Quarantined virtual clusters' });
    await list(auditor)
      .getByRole('row')
      .filter({ hasText: 'stuck' })
      .getByText(/stalled its worker thread/)
      .waitFor();
    await auditor.page.getByText('One server with its own store').waitFor();
    expect(await auditor.page.getByRole('button', { name: /Lift quarantine/ }).count()).toBe(0);
    expectNoProblems(auditor);
    await auditor.context.close();

    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/system');
    await page.getByRole('button', { name: 'Lift quarantine of stuck' }).waitFor();
    expect(await violationsInEveryLook(page)).toEqual([]);
    await page.goto('/virtual-clusters/default/stuck');
    await page.getByText('This virtual cluster is quarantined').waitFor();
    await page.getByRole('button', { name: 'Lift quarantine of stuck' }).click();
    const dialog = page.getByRole('dialog', { name: 'Lift the quarantine of stuck?' });
    await dialog.getByRole('button', { name: 'Lift quarantine' }).click();
    await page.getByText('Lifted the quarantine of stuck').waitFor();
    await expect.poll(async () => (await read()).status?.phase, { timeout: 20_000 }).toBe('Ready');
    await page.goto('/system');
    await page.getByText('No virtual cluster is quarantined.').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });
});
