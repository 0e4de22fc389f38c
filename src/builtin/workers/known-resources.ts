import type { ServedResource, ServedResources } from '../../http/plane.ts';
import type { RequestInfo } from '../../http/request/request-info.ts';

/**
 * The resources that planes on other threads serve. Workers report each resource once. Metrics use the resources as
 * labels.
 */
export class KnownResources implements ServedResources {
  readonly #resources = new Map<string, ServedResource>();

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#resources.get(`${group}/${version}/${plural}`);
  }

  add({ group, version, resource }: RequestInfo, subresources: readonly string[]): void {
    const key = `${group}/${version}/${resource}`;
    if (this.#resources.has(key)) return;
    this.#resources.set(key, { subresources: Object.fromEntries(subresources.map((name) => [name, true])) });
  }
}
