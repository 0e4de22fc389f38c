import { valueAt, writeJson } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { projectNamespace } from '../../api/naming.ts';
import type { InstanceIndex } from './instance-index.ts';

/**
 * Finds the instances whose host namespaces a change of `spec.hostIsolation` affects. Ignores other changes, for
 * example of the status of a cluster, which changes often.
 */
export class IsolationChanges {
  readonly #index: InstanceIndex;
  readonly #projectFields: readonly string[];
  readonly #known = new Map<string, string>();

  /** `projectFields` are further fields of a project's spec that affect its instances on hosts. */
  constructor(index: InstanceIndex, projectFields: readonly string[] = []) {
    this.#index = index;
    this.#projectFields = projectFields;
  }

  affectedByCluster(cluster: KubeObject): readonly string[] {
    const { name = '' } = cluster.metadata;
    return this.#hasChanged(`cluster ${name}`, cluster) ? this.#index.onCluster(name) : [];
  }

  affectedByProject(project: KubeObject): readonly string[] {
    const { name = '' } = project.metadata;
    return this.#hasChanged(`project ${name}`, project, this.#projectFields)
      ? this.#index.inNamespace(projectNamespace(name))
      : [];
  }

  /**
   * Returns false for an object that was not known before, because the controller reconciles all instances when it
   * starts.
   */
  #hasChanged(key: string, object: KubeObject, fields: readonly string[] = []): boolean {
    const text = writeJson(['hostIsolation', ...fields].map((field) => valueAt(object, 'spec', field) ?? null));
    const before = this.#known.get(key);
    this.#known.set(key, text);
    return before !== undefined && before !== text;
  }
}
