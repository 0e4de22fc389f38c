import type { KubeObject } from '../../api/meta.ts';
import type { KindStore } from '../../registry/kind-store.ts';

/** The compiled expressions of the objects of a kind, such as policies. Expressions of deleted objects are removed. */
export class CompiledPolicies<Compiled> {
  /** The compiled policies, by object name. `version` contains the UID and the generation of the object. */
  readonly #compiled = new Map<string, { readonly version: string; readonly policy: Compiled }>();
  #stopListening: (() => void) | undefined;

  /** Returns the compiled expressions of an object. Calls `compile` if they are unknown or the object has changed. */
  async get(store: KindStore, object: KubeObject, compile: () => Promise<Compiled>): Promise<Compiled> {
    // Registering a listener opens the store of the kind, even if the kind has no objects. So the listener is
    // registered only when an object exists.
    this.#stopListening ??= store.listen(({ before, after }) => {
      if (after === undefined) this.#compiled.delete(before?.object.metadata.name ?? '');
    });
    const { name = '', uid = '', generation = 0 } = object.metadata;
    const version = `${uid} ${generation}`;
    const known = this.#compiled.get(name);
    if (known?.version === version) return known.policy;
    const policy = await compile();
    this.#compiled.set(name, { version, policy });
    return policy;
  }

  stop(): void {
    this.#stopListening?.();
  }
}
