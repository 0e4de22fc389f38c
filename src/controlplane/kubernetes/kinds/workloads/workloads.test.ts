import type { JsonObject, JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../api/meta.ts';
import type { Patch } from '../../../../registry/verbs.ts';
import { testDeleteOptions, testWriteOptions } from '../../../plane.fixture.ts';
import { mountScale } from '../../../scale/mount-scale.ts';
import { Kinds, refusal } from '../../kubernetes-kinds.fixture.ts';
import { fullSetKinds } from '../../kubernetes-kinds-part.ts';

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1' }] } };
const spec = { selector: { matchLabels: labels }, template };
const once = { spec: { ...template.spec, restartPolicy: 'Never' } };
const annotation = 'deprecated.daemonset.template.generation';

/** Returns functions that read and write the scale of objects of a kind. */
function scaleOf(kinds: Kinds, key: string) {
  const store = kinds.store(key);
  const { scale } = fullSetKinds.find(({ group, plural }) => `${plural}.${group}` === key) ?? {};
  if (scale === undefined) throw new Error(`${key} has no scale`);
  const { verbs } = mountScale(store, scale);
  const context = kinds.context();
  const patch = async (name: string, sent: Patch, fieldManager = 'scaler', force = false) =>
    (await verbs.patch?.(context, name, sent, { ...testWriteOptions, fieldManager, force }))?.object;
  return {
    get: async (name: string) => (await verbs.get?.(context, name, { resourceVersion: '' }))?.object,
    merge: (name: string, document: JsonValue) => patch(name, { type: 'merge', document, findings: [] }),
    strategic: (name: string, document: JsonValue) => patch(name, { type: 'strategic', document, findings: [] }),
    apply: (name: string, replicas: number, manager: string, force = false) =>
      patch(
        name,
        { type: 'apply', object: { kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas } } },
        manager,
        force,
      ),
  };
}

function owners({ metadata }: KubeObject): unknown[] {
  return (metadata.managedFields ?? []).map(({ manager, subresource = '' }) => `${manager} ${subresource}`.trim());
}

describe('the kinds of workloads', () => {
  it('print deployments in columns, and warn about names that are not DNS labels', async () => {
    const kinds = await Kinds.open();
    const created = await kinds.create('deployments.apps', 'web.1', { spec });
    expect(created.metadata.generation).toBe(1);
    const cells = ['web.1', '0/1', 0, 0, '0s', 'web', 'nginx:1', 'app=web'];
    expect(kinds.cells('deployments.apps', created)).toEqual(cells);
    expect(kinds.warnings).toEqual([expect.stringContaining('a DNS label is recommended: [must not contain dots]')]);
  });

  it('scale deployments, and make the scaler an owner of the replica count', async () => {
    const kinds = await Kinds.open();
    await kinds.create('deployments.apps', 'web', { spec });
    const scale = scaleOf(kinds, 'deployments.apps');
    expect(await scale.get('web')).toMatchObject({
      spec: { replicas: 1 },
      status: { replicas: 0, selector: 'app=web' },
    });
    expect(await scale.merge('web', { spec: { replicas: 3 } })).toMatchObject({ spec: { replicas: 3 } });
    expect(await scale.strategic('web', { spec: { replicas: 4 } })).toMatchObject({ spec: { replicas: 4 } });
    expect(await refusal(scale.merge('web', { spec: { replicas: -1 } }))).toBe(
      'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
    expect(await refusal(scale.apply('web', 5, 'other'))).toContain('conflict with "scaler" with subresource "scale"');
    const { object } = await kinds.store('deployments.apps').verbs.get(kinds.context(), 'web', { resourceVersion: '' });
    expect([object.spec, object.metadata.generation]).toEqual([expect.objectContaining({ replicas: 4 }), 3]);
    expect(owners(object)).toContain('scaler scale');
  });

  it('are not scaled by counts that are out of range, and patches that are nested too deeply', async () => {
    const kinds = await Kinds.open();
    await kinds.create('deployments.apps', 'web', { spec });
    const scale = scaleOf(kinds, 'deployments.apps');
    expect(await refusal(scale.apply('web', 99_999_999_999, 'scaler', true))).toContain('cannot unmarshal number');
    let deep: JsonObject = {};
    for (let depth = 0; depth < 2_000; depth++) deep = { deep };
    expect(await refusal(scale.merge('web', deep))).toContain('exceeded max depth');
    expect(await scale.get('web')).toMatchObject({ spec: { replicas: 1 } });
  });

  it('number the templates of daemon sets', async () => {
    const kinds = await Kinds.open();
    const created = await kinds.create('daemonsets.apps', 'web', { spec });
    expect(created.metadata.annotations).toEqual({ [annotation]: '1' });
    const changed = await kinds.update('daemonsets.apps', created, {
      spec: { ...spec, template: { ...template, spec: { containers: [{ name: 'web', image: 'nginx:2' }] } } },
    });
    expect(changed.metadata).toMatchObject({ generation: 2, annotations: { [annotation]: '2' } });
    const withStatus = await kinds.updateStatus('daemonsets.apps', changed, {
      metadata: { ...changed.metadata, annotations: { [annotation]: '7', note: 'kept' } },
    });
    expect(withStatus.metadata.annotations).toEqual({ [annotation]: '2', note: 'kept' });
    const numbered = (number: string) => ({ metadata: { name: 'x', annotations: { [annotation]: number } }, spec });
    expect(() => kinds.decoded('daemonsets.apps', numbered('x'))).toThrow('parsing "x": invalid syntax');
    expect(() => kinds.decoded('daemonsets.apps', numbered('9'.repeat(20)))).toThrow('value out of range');
    const last = await kinds.create('daemonsets.apps', 'x', numbered(String(2n ** 63n - 1n)));
    const other = { ...spec, template: { ...template, spec: { containers: [{ name: 'web', image: 'nginx:2' }] } } };
    const first = await kinds.update('daemonsets.apps', last, { spec: other });
    expect(first.metadata.annotations).toEqual({ [annotation]: String(-(2n ** 63n)) });
  });

  it('remove a field of stateful sets that belongs to a disabled feature', async () => {
    const kinds = await Kinds.open();
    const updateStrategy = { rollingUpdate: { partition: 1, maxUnavailable: 2 } };
    const created = await kinds.create('statefulsets.apps', 'web', { spec: { ...spec, updateStrategy } });
    expect(created.spec).toMatchObject({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } });
    expect(JSON.stringify(created.spec)).not.toContain('maxUnavailable');
    expect(await refusal(kinds.create('statefulsets.apps', 'a.b', { spec }))).toContain('metadata.name: Invalid value');
  });

  it('generate the selector of a job, which has no owner', async () => {
    const kinds = await Kinds.open();
    const created = await kinds.create('jobs.batch', 'task', { spec: { template: once } });
    const uid = created.metadata.uid ?? '';
    const generated = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'task',
      'controller-uid': uid,
      'job-name': 'task',
    };
    expect(created.metadata.labels).toEqual(generated);
    expect(created.spec).toMatchObject({
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { metadata: { labels: generated } },
    });
    expect(JSON.stringify(created.metadata.managedFields)).not.toContain('f:selector');
    expect(kinds.cells('jobs.batch', created).slice(0, 5)).toEqual(['task', 'Running', '0/1', '', '0s']);
  });

  it('give a job without labels the labels of its pods', async () => {
    const kinds = await Kinds.open();
    const labeled = { ...once, metadata: { labels } };
    const unlabeled = await kinds.create('jobs.batch', 'a', { spec: { template: labeled } });
    expect(unlabeled.metadata.labels).toMatchObject({ app: 'web', 'job-name': 'a' });
    const own = await kinds.create('jobs.batch', 'b', { metadata: { name: 'b', labels }, spec: { template: labeled } });
    expect(own.metadata.labels).toEqual(labels);
  });

  it('keep the dependents of a job that is deleted without a propagation policy', async () => {
    const kinds = await Kinds.open();
    await kinds.create('jobs.batch', 'kept', { spec: { template: once } });
    await kinds.create('jobs.batch', 'gone', { spec: { template: once } });
    const { verbs } = kinds.store('jobs.batch');
    const kept = await verbs.delete(kinds.context(), 'kept', testDeleteOptions());
    expect('pending' in kept && kept.pending.object.metadata.finalizers).toEqual(['orphan']);
    expect(kinds.warnings).toEqual([expect.stringContaining('child pods are preserved by default')]);
    const gone = await verbs.delete(kinds.context(), 'gone', testDeleteOptions({ propagationPolicy: 'Background' }));
    expect('gone' in gone).toBe(true);
    expect(kinds.warnings).toHaveLength(1);
  });

  it('warn only once if a collection of jobs is deleted', async () => {
    const kinds = await Kinds.open();
    for (const name of ['a', 'b']) await kinds.create('jobs.batch', name, { spec: { template: once } });
    const all = { resourceVersion: '', resourceVersionMatch: '', limit: 0, continue: '' } as const;
    await kinds.store('jobs.batch').verbs.deletecollection(kinds.context(), all, testDeleteOptions());
    expect(kinds.warnings).toHaveLength(1);
  });

  it('print cron jobs in columns', async () => {
    const kinds = await Kinds.open();
    const created = await kinds.create('cronjobs.batch', 'daily', {
      spec: { schedule: '@daily', jobTemplate: { spec: { template: once } } } as JsonObject,
    });
    const cells = ['daily', '@daily', '<none>', 'False', 0, '<none>', '0s', 'web', 'nginx:1', '<none>'];
    expect(kinds.cells('cronjobs.batch', created)).toEqual(cells);
  });
});
