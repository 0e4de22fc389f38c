import { type JsonObject, listAt, textAt, valueAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inPhase, instancesOf, isGone, isReconciled, waitForInstance } from '../../src/server/instances.fixture.ts';
import { groupPath, type ParsedResponse, type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const instances = instancesOf('default');

type Kube = JsonObject & { metadata: JsonObject; spec: JsonObject };

/** A manifest as generators write it: with empty members for unset struct fields. */
function manifestOf(name: string, spec: JsonObject = { displayName: 'In Git' }, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'management.platform.sh/v1',
    kind: 'VirtualClusterInstance',
    metadata: {
      name,
      namespace: 'platform-p-default',
      creationTimestamp: null,
      labels: { 'app.kubernetes.io/instance': 'shop' },
      ...metadata,
    },
    spec,
    status: {},
  };
}

/** The part of an object that tools compare: everything except managed fields. */
function compared({ metadata, ...rest }: JsonObject): JsonObject {
  const { managedFields: _managers, ...meta } = metadata as JsonObject;
  return { metadata: meta, ...rest };
}

/**
 * Returns the compared part of an object, without values that a plan cannot know before the object exists, such as the
 * times in the status.
 */
function planned(object: JsonObject): JsonObject {
  const { metadata, status: _status, ...rest } = compared(object);
  const { uid: _uid, resourceVersion: _version, creationTimestamp: _time, ...meta } = metadata as JsonObject;
  return { metadata: meta, ...rest };
}

/** The health of an object by the generic rules of kstatus, which Flux and others use. */
function healthOf(object: JsonObject | undefined): 'Current' | 'InProgress' | 'Terminating' {
  if (valueAt(object, 'metadata', 'deletionTimestamp') !== undefined) return 'Terminating';
  const observed = valueAt(object, 'status', 'observedGeneration');
  if (observed !== undefined && observed !== valueAt(object, 'metadata', 'generation')) return 'InProgress';
  const ready = listAt(object, 'status', 'conditions').find((condition) => textAt(condition, 'type') === 'Ready');
  return ready === undefined || textAt(ready, 'status') === 'True' ? 'Current' : 'InProgress';
}

describe('GitOps, while the server works on the same objects (completions §2, §3)', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
  });
  afterAll(() => bench.close());

  const ask = (path: string, call: RequestOptions = {}): Promise<ParsedResponse> => bench.send(server, path, call);
  const until = (name: string, has: (object: JsonObject | undefined) => boolean) =>
    waitForInstance(bench, server, { name }, has);
  const get = async (name: string) => (await ask(`${instances}/${name}`)).json as Kube;
  const deleted = (name: string, body: JsonObject = {}) => ask(`${instances}/${name}`, { method: 'DELETE', body });

  async function apply(manifest: JsonObject, manager: string, query = ''): Promise<Kube> {
    const name = textAt(manifest, 'metadata', 'name');
    const path = `${instances}/${name}?fieldManager=${manager}&fieldValidation=Strict${query}`;
    const answer = await ask(path, { method: 'PATCH', type: 'application/apply-patch+yaml', body: manifest });
    expect([200, 201], answer.text).toContain(answer.code);
    return answer.json as Kube;
  }

  /** Replaces an object as a client does: reads the version, and retries if the server wrote in between. */
  async function replace(manifest: JsonObject, query = ''): Promise<Kube> {
    const name = textAt(manifest, 'metadata', 'name');
    for (;;) {
      const { resourceVersion = '' } = (await get(name)).metadata;
      const body = { ...manifest, metadata: { ...(manifest.metadata as JsonObject), resourceVersion } };
      const answer = await ask(`${instances}/${name}${query}`, { method: 'PUT', body });
      if (answer.code === 409) continue;
      expect(answer.code, answer.text).toBe(200);
      return answer.json as Kube;
    }
  }

  it('accepts the original manifest in repeated PUTs; fields that the server set remain, and nothing counts as a change', async () => {
    const manifest = manifestOf('put');
    const made = (await ask(instances, { method: 'POST', body: manifest })).json as Kube;
    expect(made.spec).toMatchObject({ owner: { user: 'admin' }, templateRef: {}, clusterRef: { cluster: 'local' } });
    for (let round = 0; round < 10; round++) {
      const { metadata, spec } = await replace(manifest);
      expect(spec).toEqual(made.spec);
      expect(metadata).toMatchObject({ uid: made.metadata.uid, generation: 1, labels: made.metadata.labels });
    }
    const ready = await until('put', (object) => inPhase('Ready')(object) && isReconciled(object));
    expect(compared(await replace(manifest))).toEqual(compared(ready));
    expect(compared(await replace(manifest, '?dryRun=All'))).toEqual(compared(ready));
  });

  it('accepts its own response in a PUT: a read followed by a write changes nothing', async () => {
    await ask(instances, { method: 'POST', body: manifestOf('echo') });
    const ready = await until('echo', (object) => inPhase('Ready')(object) && isReconciled(object));
    const answer = await ask(`${instances}/echo`, { method: 'PUT', body: ready });
    expect(answer.json).toEqual(ready);
  });

  it('shows in a plan what an apply then does, and the next plan is empty (Terraform)', async () => {
    const manifest = manifestOf('plan');
    const plan = await apply(manifest, 'Terraform', '&dryRun=All');
    expect((await ask(`${instances}/plan`)).code).toBe(404);
    const made = await apply(manifest, 'Terraform');
    expect(planned(made)).toEqual(planned(plan));
    for (let round = 0; round < 10; round++) {
      const again = await apply(manifest, 'Terraform', '&dryRun=All');
      expect(again.spec).toEqual(plan.spec);
      expect(again.metadata.generation).toBe(1);
    }
    const ready = await until('plan', (object) => inPhase('Ready')(object) && isReconciled(object));
    expect(await apply(manifest, 'Terraform', '&dryRun=All')).toEqual(ready);
    expect(await apply(manifest, 'Terraform')).toEqual(ready);

    const changed = manifestOf('plan', { displayName: 'Another' });
    const next = await apply(changed, 'Terraform', '&dryRun=All');
    expect(compared(next)).toEqual({
      ...compared(ready),
      metadata: { ...(compared(ready).metadata as JsonObject), generation: 2 },
      spec: { ...(ready.spec as JsonObject), displayName: 'Another' },
    });
    expect((await get('plan')).spec).toEqual(ready.spec);
    expect((await apply(changed, 'Terraform')).spec).toEqual(next.spec);
    // Clients that wait for conditions require conditions that refer to the current generation.
    await until('plan', (object) => isReconciled(object) && textAt(object, 'spec', 'displayName') === 'Another');
  });

  it('is never healthy by the rules of kstatus before the server has processed it (Flux)', async () => {
    const created = await apply(manifestOf('health'), 'kustomize-controller');
    expect(healthOf(created)).toBe('InProgress');
    const ready = await until('health', (object) => healthOf(object) === 'Current');
    expect(inPhase('Ready')(ready)).toBe(true);
    const changed = await apply(manifestOf('health', { displayName: 'Another' }), 'kustomize-controller');
    expect(healthOf(changed)).toBe('InProgress');
    await until('health', (object) => healthOf(object) === 'Current');
    const { code, json } = await ask(`${groupPath}/clusters`, {
      method: 'POST',
      body: { metadata: { name: 'peer' }, spec: { networkPeer: true } },
    });
    expect([code, healthOf(json)]).toEqual([201, 'InProgress']);
  });

  it('lets two managers apply their own fields indefinitely without conflicts', async () => {
    const shop = manifestOf('shared', { displayName: 'Shop', templateRef: { name: 'control-plane' } });
    const access = [{ name: 'readers', verbs: ['get'], users: ['admin'] }];
    const rights = manifestOf('shared', { access }, { labels: { 'example.com/reviewed': 'yes' } });
    await apply(shop, 'argocd-controller');
    const both = await apply(rights, 'kustomize-controller');
    expect(both.metadata.labels).toEqual({ 'app.kubernetes.io/instance': 'shop', 'example.com/reviewed': 'yes' });
    for (let round = 0; round < 10; round++) {
      expect((await apply(shop, 'argocd-controller')).spec).toEqual(both.spec);
      expect((await apply(rights, 'kustomize-controller')).spec).toEqual(both.spec);
    }
    const ready = await until('shared', (object) => inPhase('Ready')(object) && isReconciled(object));
    expect(await apply(shop, 'argocd-controller')).toEqual(ready);
    expect(await apply(rights, 'kustomize-controller')).toEqual(ready);

    const body = manifestOf('shared', { displayName: 'Mine' });
    const path = `${instances}/shared?fieldManager=kustomize-controller`;
    const clash = await ask(path, { method: 'PATCH', type: 'application/apply-patch+yaml', body });
    expect(clash.json).toMatchObject({ code: 409, details: { causes: [{ field: '.spec.displayName' }] } });
    // Fields that a manager no longer sends are removed; fields set by the server or by the other manager remain.
    const less = await apply(manifestOf('shared', {}), 'kustomize-controller');
    expect(less.spec).toEqual({ ...both.spec, access: undefined });
    expect(less.metadata.labels).toEqual({ 'app.kubernetes.io/instance': 'shop' });
  });

  it('keeps irreversible fields when a manifest no longer has them: location, owner, template', async () => {
    const named = {
      owner: { user: 'admin' },
      templateRef: { name: 'control-plane' },
      clusterRef: { cluster: 'local' },
    };
    const made = await apply(manifestOf('named', { displayName: 'Named', ...named }), 'argocd-controller');
    const less = await apply(manifestOf('named', { displayName: 'Named' }), 'argocd-controller');
    expect(less.spec).toEqual(made.spec);
    expect(less.metadata.generation).toBe(1);
    await until('named', isReconciled);
    const again = await apply(manifestOf('named', { displayName: 'Named' }), 'argocd-controller', '&dryRun=All');
    expect(again).toEqual(await get('named'));
  });

  it('does not count server writes as another manager: status belongs to the server alone', async () => {
    await apply(manifestOf('owned'), 'argocd-controller');
    const ready = (await until('owned', isReconciled)) as Kube;
    const managers = listAt(ready, 'metadata', 'managedFields');
    const main = managers.filter((entry) => textAt(entry, 'subresource') === '');
    expect(main.map((entry) => textAt(entry, 'manager'))).toEqual(['argocd-controller']);
    for (const entry of managers.filter((each) => textAt(each, 'subresource') !== '')) {
      expect(Object.keys((entry as JsonObject).fieldsV1 as JsonObject)).toEqual(['f:status']);
    }
    // A status that a client sends is neither stored nor owned.
    const lying = { ...manifestOf('owned'), status: { phase: 'Failed' } };
    expect(compared(await apply(lying, 'argocd-controller'))).toEqual(compared(ready));
  });

  it('accepts the annotation merge patch that kubectl apply sends, and loses no field', async () => {
    const name = 'patched';
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const written = JSON.stringify(manifestOf(name));
    const metadata = { annotations: { [annotation]: written } };
    const made = (await ask(instances, { method: 'POST', body: manifestOf(name, undefined, metadata) })).json as Kube;
    const ready = await until(name, (object) => inPhase('Ready')(object) && isReconciled(object));
    const patch: RequestOptions = {
      method: 'PATCH',
      type: 'application/merge-patch+json',
      body: { metadata, status: {} },
    };
    const path = `${instances}/${name}?fieldManager=kubectl-client-side-apply`;
    for (let round = 0; round < 3; round++) expect((await ask(path, patch)).json).toEqual(ready);
    expect(ready.spec).toEqual(made.spec);
  });

  it.each(['Foreground', 'Background'] as const)(
    'prunes with %s, and recreates the same object',
    async (propagationPolicy) => {
      const name = propagationPolicy.toLowerCase();
      const first = await apply(manifestOf(name), 'argocd-controller');
      await until(name, inPhase('Ready'));
      expect((await deleted(name, { propagationPolicy, preconditions: { uid: first.metadata.uid ?? '' } })).code).toBe(
        200,
      );
      await until(name, isGone);
      const second = await apply(manifestOf(name), 'argocd-controller');
      expect(second.metadata.uid).not.toBe(first.metadata.uid);
      expect(second.spec).toEqual(first.spec);
      expect(second.metadata).not.toHaveProperty('deletionTimestamp');
      await until(name, inPhase('Ready'));
    },
  );

  it('lets a tool apply an object that another client created, without a conflict or a change (import)', async () => {
    const manifest = manifestOf('adopted');
    const made = (await ask(`${instances}?fieldManager=kubectl-create`, { method: 'POST', body: manifest }))
      .json as Kube;
    const ready = await until('adopted', (object) => inPhase('Ready')(object) && isReconciled(object));
    const plan = await apply(manifest, 'Terraform', '&dryRun=All');
    expect(compared(plan)).toEqual(compared(ready));
    const taken = await apply(manifest, 'Terraform');
    expect(taken.spec).toEqual(made.spec);
    expect(taken.metadata).toMatchObject({ uid: made.metadata.uid, generation: 1 });
    // From here on, a plan contains no difference at all.
    await until('adopted', isReconciled);
    expect(await apply(manifest, 'Terraform', '&dryRun=All')).toEqual(await get('adopted'));
  });

  it('shows an object under deletion until it is gone, and refuses a new one of its name until then (replace --force, destroy)', async () => {
    const first = await apply(manifestOf('again'), 'argocd-controller');
    await until('again', inPhase('Ready'));
    expect((await deleted('again')).code).toBe(200);
    const seen: number[] = [];
    let second: ParsedResponse;
    do {
      const found = await ask(`${instances}/again`);
      seen.push(found.code);
      if (found.code === 200) {
        expect(found.json).toMatchObject({
          metadata: { uid: first.metadata.uid, deletionTimestamp: expect.any(String) },
        });
      }
      second = await ask(instances, { method: 'POST', body: manifestOf('again') });
      if (second.code === 409) expect(second.json).toMatchObject({ reason: 'AlreadyExists' });
    } while (second.code === 409);
    expect(second.code, second.text).toBe(201);
    // No client that got 404 sees the object again afterwards.
    expect(seen.slice(0, -1).every((code) => code === 200)).toBe(true);
    const made = second.json as Kube;
    expect(made.metadata.uid).not.toBe(first.metadata.uid);
    expect((await until('again', inPhase('Ready'))).metadata).toMatchObject({ uid: made.metadata.uid });
  });

  it('prunes by label exactly what a list with the same label shows', async () => {
    const labels = { 'app.kubernetes.io/instance': 'old' };
    const selector = `?labelSelector=${encodeURIComponent('app.kubernetes.io/instance=old')}`;
    for (const name of ['old-a', 'old-b']) await apply(manifestOf(name, {}, { labels }), 'argocd-controller');
    await apply(manifestOf('new-c', {}), 'argocd-controller');
    const { json } = await ask(`${instances}${selector}`);
    expect(listAt(json, 'items').map((item) => textAt(item, 'metadata', 'name'))).toEqual(['old-a', 'old-b']);
    expect((await ask(`${instances}${selector}`, { method: 'DELETE' })).code).toBe(200);
    for (const name of ['old-a', 'old-b']) await until(name, isGone);
    await until('new-c', inPhase('Ready'));
  });
});
