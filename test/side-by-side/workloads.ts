import { applyPatch, asTable, jsonPatch, mergePatch } from './gadgets.ts';
import type { Pair } from './pair.ts';

export const strategicPatch = 'application/strategic-merge-patch+json';
const age = /\.cells\[\d+\]$/;

/** Sends requests for workloads to both servers. */
export class Workloads {
  readonly #pair: Pair;

  constructor(pair: Pair) {
    this.#pair = pair;
  }

  post(path: string, json: unknown) {
    return this.#pair.send({ method: 'POST', path, json });
  }

  patch(path: string, type: string, change: unknown) {
    const body = JSON.stringify(change);
    return this.#pair.send({ method: 'PATCH', path, body, headers: { 'content-type': type } });
  }

  merge(path: string, change: unknown) {
    return this.patch(path, mergePatch, change);
  }

  get(path: string) {
    return this.#pair.send({ path });
  }

  table(path: string) {
    return this.#pair.send({ path, headers: { accept: asTable } }, { ignoredFields: age });
  }

  /** Reads an object, changes it, and sends it back. */
  async put(path: string, change: object) {
    await this.#pair.send({ path }, { keepAs: path });
    await this.#pair.send((side) => ({ method: 'PUT', path, json: { ...side.kept(path), ...change } }));
  }
}

/** Compares the `scale` subresource of a workload: reads, updates, patches, and the owners of the replica count. */
export async function compareScale(workloads: Workloads, path: string, parent: { apiVersion: string; kind: string }) {
  const scale = `${path}/scale`;
  await workloads.get(scale);
  await workloads.put(scale, { spec: { replicas: 4 } });
  await workloads.put(scale, { spec: {} });
  await workloads.put(scale, { spec: { replicas: -1 } });
  await workloads.put(scale, { metadata: { name: 'other' }, spec: { replicas: 1 } });
  await workloads.put(scale, { metadata: { name: path.split('/').at(-1) }, spec: { replicas: 2 } });
  await workloads.merge(scale, { spec: { replicas: 3 } });
  await workloads.merge(scale, { metadata: { resourceVersion: '1' }, spec: { replicas: 3 } });
  await workloads.patch(scale, strategicPatch, { spec: { replicas: 5 } });
  await workloads.patch(scale, jsonPatch, [{ op: 'replace', path: '/spec/replicas', value: 6 }]);
  await workloads.get(path);
  const applied = (replicas: number) => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: path.split('/').at(-1) },
    spec: { replicas },
  });
  await workloads.patch(`${scale}?fieldManager=scaler`, applyPatch, applied(7));
  await workloads.patch(`${scale}?fieldManager=scaler&force=true`, applyPatch, applied(7));
  await workloads.patch(`${path}?fieldManager=other`, applyPatch, {
    ...parent,
    metadata: { name: path.split('/').at(-1) },
    spec: { replicas: 8 },
  });
  await workloads.get(path);
  await workloads.get(`${path}-absent/scale`);
  await workloads.merge(`${path}-absent/scale`, { spec: { replicas: 3 } });
}

/**
 * Compares the `scale` subresource of a workload with few requests. This suffices because all workloads use the same
 * code for it.
 */
export async function compareScaleBriefly(workloads: Workloads, path: string) {
  await workloads.put(`${path}/scale`, { spec: { replicas: 4 } });
  await workloads.get(path);
  await workloads.merge(`${path}/scale`, { spec: { replicas: 3 } });
  await workloads.merge(`${path}/scale`, { spec: { replicas: -1 } });
  await workloads.get(path);
}
