import type { UsedNames } from '../../api/apiextensions/accepted-names.ts';
import { type Definition, type DefinitionNames, isTrue } from '../../api/apiextensions/definition.ts';
import { listKindOf, type ResourceKind } from '../../api/resource.ts';

interface Known {
  readonly accepted: DefinitionNames;
  /** Others of its group may have names that it wants. */
  readonly isWaiting: boolean;
}

/** Which names the definitions of each group have, by change: nobody has to read thousands of them for one. */
export class GroupNames {
  readonly #groups = new Map<string, Map<string, Known>>();

  set(definition: Definition): void {
    const { metadata, spec, status } = definition;
    const { name = '' } = metadata;
    const { group = '' } = spec;
    const known = this.#groups.get(group) ?? new Map<string, Known>();
    this.#groups.set(group, known);
    const isWaiting = metadata.deletionTimestamp === undefined && !isTrue(definition, 'NamesAccepted');
    known.set(name, { accepted: status.acceptedNames ?? {}, isWaiting });
  }

  delete(name: string): void {
    // The name is that of the plural and of the group.
    const group = name.slice(name.indexOf('.') + 1);
    const known = this.#groups.get(group);
    known?.delete(name);
    if (known?.size === 0) this.#groups.delete(group);
  }

  waitingIn(group: string): string[] {
    return [...(this.#groups.get(group) ?? [])].filter(([, { isWaiting }]) => isWaiting).map(([name]) => name);
  }

  /** All names that are taken there, by others than this definition; `own` are the plane's kinds in the group. */
  usedIn(group: string, except: string, own: readonly ResourceKind[]): UsedNames {
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
