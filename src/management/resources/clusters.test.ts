import { describe, expect, it } from 'vitest';
import { textAt, valueAt } from '../../lib/json-path.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import type { RequestContext } from '../../registry/context.ts';
import { latest, openManagement, patching, refusal, writing } from '../management.fixture.ts';
import { hiddenKubeconfig, kubeconfigPurpose } from './clusters.ts';

const kubeconfig = (token: string) => `
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: ${token}}}]
`;

async function setUp() {
  const management = await openManagement();
  const { verbs, admin } = management;
  await management.create('users', 'anna', {});
  const merge = (name: string, spec: JsonObject, context: RequestContext = admin()) =>
    verbs('clusters').patch(context, name, { type: 'merge', document: { spec }, findings: [] }, patching);
  const hidden = (name: string) =>
    textAt(management.plane.kinds.get('clusters.management.platform.sh')?.peekHidden('', name), hiddenKubeconfig);
  return { ...management, merge, hidden };
}

describe('connected clusters (completions §7)', () => {
  it('seal their kubeconfig and never return it', async () => {
    const { create, verbs, admin, hidden, sealer, merge, store } = await setUp();
    const made = await create('clusters', 'c', { kubeconfig: kubeconfig('secret-one') });
    expect(JSON.stringify(made)).not.toContain('secret');
    expect(valueAt(made, 'spec', 'kubeconfig')).toBeUndefined();
    expect(sealer.open(kubeconfigPurpose, hidden('c'))).toBe(kubeconfig('secret-one'));
    const rows: string[] = [];
    for await (const row of store.dump()) rows.push(JSON.stringify(row));
    expect(rows.join()).not.toContain('secret-one');

    const read = await verbs('clusters').get(admin(), 'c', latest);
    expect((await verbs('clusters').update(admin(), 'c', read.object, writing)).object).toEqual(read.object);
    const same = await merge('c', { kubeconfig: kubeconfig('secret-one') });
    expect(same.object.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    const other = await merge('c', { kubeconfig: kubeconfig('secret-two') });
    expect(other.json()).not.toContain('secret');
    expect(sealer.open(kubeconfigPurpose, hidden('c'))).toBe(kubeconfig('secret-two'));
    await merge('c', { networkPeer: true });
    expect(hidden('c')).toBe('');
  });

  it.each([
    ['api', { networkPeer: true }, 'metadata.name'],
    ['apis', { networkPeer: true }, 'metadata.name'],
    ['c', {}, 'spec.kubeconfig'],
    ['c', { kubeconfig: 'secret-text' }, 'spec.kubeconfig'],
    ['c', { local: true }, 'spec.local'],
    ['c', { networkPeer: true, kubeconfig: kubeconfig('x') }, 'spec'],
  ])('refuse %s %j at %s', async (name, spec, field) => {
    const { create } = await setUp();
    const status = await refusal(create('clusters', name, spec));
    expect(status).toMatchObject({ code: 422, details: { causes: [{ field }] } });
    expect(status.message).not.toContain('secret');
  });

  it('let their owner change what is for display, and those named in access the rest', async () => {
    const { create, merge, as } = await setUp();
    await create('clusters', 'c', { networkPeer: true, owner: { user: 'anna' } });
    expect((await merge('c', { displayName: 'C' }, as('anna'))).object).toMatchObject({ spec: { displayName: 'C' } });
    expect((await refusal(merge('c', { unusable: true }, as('anna')))).code).toBe(403);
    await merge('c', { access: [{ verbs: ['update'], users: ['anna'] }] });
    await merge('c', { unusable: true }, as('anna'));
  });
});
