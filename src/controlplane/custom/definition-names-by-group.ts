import type { UsedNames } from '../../api/apiextensions/accepted-names.ts';
import { type Definition, type DefinitionNames, isConditionTrue } from '../../api/apiextensions/definition.ts';
import { listKindOf, type ResourceKind } from '../../api/resource.ts';

interface DefinitionEntry {
  readonly accepted: DefinitionNames;
  /** True if the names that the definition requests are not accepted, usually because another definition uses them. */
  readonly isWaiting: boolean;
  /** True if the definition is established and not being deleted. */
  readonly acceptsObjects: boolean;
}

/**
 * The names of all CustomResourceDefinitions, by API group. They are updated with each change, so a change to one
 * definition does not require reading thousands of other definitions.
 */
export class DefinitionNamesByGroup {
  readonly #groups = new Map<string, Map<string, DefinitionEntry>>();

  set(definition: Definition): void {
    const { metadata, spec, status } = definition;
    const { name = '' } = metadata;
    const { group = '' } = spec;
    const entries = this.#groups.get(group) ?? new Map<string, DefinitionEntry>();
    this.#groups.set(group, entries);
    const isDeleting = metadata.deletionTimestamp !== undefined;
    entries.set(name, {
      accepted: status.acceptedNames ?? {},
      isWaiting: !isDeleting && !isConditionTrue(definition, 'NamesAccepted'),
      acceptsObjects: !isDeleting && isConditionTrue(definition, 'Established'),
    });
  }

  delete(name: string): void {
    const group = groupOf(name);
    const entries = this.#groups.get(group);
    entries?.delete(name);
    if (entries?.size === 0) this.#groups.delete(group);
  }

  /** True if new objects of the defined kind are accepted. */
  acceptsObjects(name: string): boolean {
    return this.#groups.get(groupOf(name))?.get(name)?.acceptsObjects === true;
  }

  definitionsWaitingIn(group: string): string[] {
    return [...(this.#groups.get(group) ?? [])].filter(([, { isWaiting }]) => isWaiting).map(([name]) => name);
  }

  /**
   * Returns the names in use in an API group, without the names of the definition `except`. `own` are the plane's own
   * kinds.
   */
  usedNamesIn(group: string, except: string, own: readonly ResourceKind[]): UsedNames {
    const resources = new Set<string>();
    const kinds = new Set<string>();
    const use = (names: DefinitionNames) => {
      for (const name of resourceNamesOf(names)) resources.add(name);
      for (const name of kindNamesOf(names)) kinds.add(name);
    };
    for (const [name, { accepted }] of this.#groups.get(group) ?? []) if (name !== except) use(accepted);
    for (const kind of own) use({ ...kind, listKind: listKindOf(kind) });
    return { resources, kinds };
  }
}

/**
 * True if a name of a definition is in use by another definition. Checks only the names that `before` does not contain.
 */
export function hasUsedName(names: DefinitionNames, before: DefinitionNames, used: UsedNames): boolean {
  const isUsed = (namesOf: (names: DefinitionNames) => string[], inUse: ReadonlySet<string>) => {
    const known = new Set(namesOf(before));
    return namesOf(names).some((name) => !known.has(name) && inUse.has(name));
  };
  return isUsed(resourceNamesOf, used.resources) || isUsed(kindNamesOf, used.kinds);
}

function resourceNamesOf({ plural = '', singular = '', shortNames = [] }: DefinitionNames): string[] {
  return [plural, singular, ...shortNames].filter((name) => name !== '');
}

function kindNamesOf({ kind = '', listKind = '' }: DefinitionNames): string[] {
  return [kind, listKind].filter((name) => name !== '');
}

/** Returns the API group of a CustomResourceDefinition. Its name is `<plural>.<group>`. */
function groupOf(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}
