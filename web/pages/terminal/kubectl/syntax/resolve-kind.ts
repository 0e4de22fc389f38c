import type { ServedKind } from '../../../../data/discovery.ts';
import { KubectlError } from '../kubectl-error.ts';

/** The objects that a command names: `pods`, `pods a b`, `pod/a svc/b`. */
export interface NamedObjects {
  readonly kind: ServedKind;
  /** The names of the objects; empty for all objects of the kind. */
  readonly names: readonly string[];
}

/** True if the text is a name of the kind: its plural, singular or short name, with or without the group. */
function isNamed(kind: ServedKind, text: string): boolean {
  const [name = '', ...rest] = text.split('.');
  const group = rest.join('.');
  if (group !== '' && group !== kind.group && group !== `${kind.version}.${kind.group}`) return false;
  return name === kind.plural || name === kind.kind.toLowerCase() || kind.shortNames.includes(name);
}

/** Returns the kind that kubectl would choose for a text such as `po` or `deployments.apps`. */
export function resolveKind(served: readonly ServedKind[], text: string): ServedKind {
  const lower = text.toLowerCase();
  const found = served.find((kind) => isNamed(kind, lower));
  if (found !== undefined) return found;
  const near = served.find(({ plural }) => lower.length > 2 && plural.startsWith(lower.slice(0, -1)));
  const hint = near === undefined ? 'api-resources lists all types' : `did you mean "${near.plural}"?`;
  throw new KubectlError(`the server doesn't have a resource type "${text}"; ${hint}`);
}

/** Returns the kinds for a comma-separated list. Each text in the list can also be a category such as `all`. */
export function resolveKinds(served: readonly ServedKind[], texts: string): readonly ServedKind[] {
  const found = texts
    .split(',')
    .filter((text) => text !== '')
    .flatMap((text) => {
      const inCategory = served.filter(
        ({ categories = [], verbs }) => categories.includes(text) && verbs.includes('list'),
      );
      return inCategory.length > 0 ? inCategory : [resolveKind(served, text)];
    });
  return [...new Set(found)];
}

/** Reads the words of a command that name objects. */
export function namedObjects(words: readonly string[], served: readonly ServedKind[]): readonly NamedObjects[] {
  const [first = '', ...rest] = words;
  if (first === '')
    throw new KubectlError('you must specify the type of resource, for example "pods"; api-resources lists all types');
  if (words.some((word) => word.includes('/'))) {
    return words.map((word) => {
      const [type = '', name = '', more] = word.split('/');
      if (type === '' || name === '' || more !== undefined)
        throw new KubectlError(`"${word}" must have the form TYPE/NAME, like the other arguments`);
      return { kind: resolveKind(served, type), names: [name] };
    });
  }
  const kinds = resolveKinds(served, first);
  if (kinds.length > 1 && rest.length > 0 && first.includes(',') === false)
    throw new KubectlError(`"${first}" names several types, so no object names can follow`);
  return kinds.map((kind) => ({ kind, names: rest }));
}

/** Returns the name that commands print: `pod/web`, `deployment.apps/web`. */
export function objectName({ kind, group }: Pick<ServedKind, 'kind' | 'group'>, name: string): string {
  return `${kindName({ kind, group })}/${name}`;
}

export function kindName({ kind, group }: Pick<ServedKind, 'kind' | 'group'>): string {
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}`;
}
