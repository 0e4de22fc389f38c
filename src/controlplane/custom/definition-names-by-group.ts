import type { UsedNames } from '../../api/apiextensions/accepted-names.ts';
import { type Definition, type DefinitionNames, isConditionTrue } from '../../api/apiextensions/definition.ts';
import { listKindOf, type ResourceKind } from '../../api/resource.ts';

interface DefinitionEntry {
  readonly accepted: DefinitionNames;
  /** True if the names of the definition are not accepted, usually because another definition uses them. */
  readonly isWaiting: boolean;
}

/**
 * The names of all CustomResourceDefinitions, by API group. They are updated with each change, so that a change to one
 * definition does not require reading thousands of others.
 */
export class DefinitionNamesByGroup {
  readonly #groups = new Map<string, Map<string, DefinitionEntry>>();

  set(definition: Definition): void {
    const { metadata, spec, status } = definition;
    const { name = '' } = metadata;
    const { group = '' } = spec;
    const entries = this.#groups.get(group) ?? new Map<string, DefinitionEntry>();
    this.#groups.set(group, entries);
    const isWaiting = metadata.deletionTimestamp === undefined && !isConditionTrue(definition, 'NamesAccepted');
    entries.set(name, { accepted: status.acceptedNames ?? {}, isWaiting });
  }

  delete(name: string): void {
    // The name of a CustomResourceDefinition is `<plural>.<group>`.
    const group = name.slice(name.indexOf('.') + 1);
    const entries = this.#groups.get(group);
    entries?.delete(name);
    if (entries?.size === 0) this.#groups.delete(group);
  }

  definitionsWaitingIn(group: string): string[] {
    return [...(this.#groups.get(group) ?? [])].filter(([, { isWaiting }]) => isWaiting).map(([name]) => name);
  }

  /**
   * Returns the names in use in an API group, without those of the definition `except`. `own` are the plane's own
   * kinds.
   */
  usedNamesIn(group: string, except: string, own: readonly ResourceKind[]): UsedNames {
    const resources = new Set<string>();
    const kinds = new Set<string>();
    const use = (names: DefinitionNames) => {
      const { plural = '', singular = '', shortNames = [], kind = '', listKind = '' } = names;
      for (const name of [plural, singular, ...shortNames]) if (name !== '') resources.add(name);
      for (const name of [kind, listKind]) if (name !== '') kinds.add(name);
    };
    for (const [name, { accepted }] of this.#groups.get(group) ?? []) if (name !== except) use(accepted);
    for (const kind of own) use({ ...kind, listKind: listKindOf(kind) });
    return { resources, kinds };
  }
}
