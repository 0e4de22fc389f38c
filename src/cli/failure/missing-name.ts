import { projectOfNamespace } from '../../api/naming.ts';
import type { StatusError } from '../../api/status.ts';
import {
  accessKeys,
  clusters,
  commandPath,
  type NamedKind,
  namedKinds,
  ownedAccessKeys,
  projects,
  spaces,
  spaceTemplates,
  teams,
  templates,
  users,
} from '../kinds.ts';
import { closestNames } from './closest-names.ts';

/** A name that the user gave and that the server does not know. */
export interface MissingName {
  readonly kind: NamedKind;
  readonly name: string;
}

/** The existing names to suggest for a missing name. */
export interface KnownNames {
  /** The project in which the name was looked up; `undefined` if the kind does not belong to projects. */
  readonly project: string | undefined;
  readonly names: readonly string[];
  /** True if there are more names on the server. */
  readonly isPartial: boolean;
}

/** The fields in which objects refer to other objects by name. */
const referenceFields: Readonly<Record<string, NamedKind>> = {
  'spec.templateRef.name': templates,
  'spec.clusterRef.cluster': clusters,
  'spec.owner.user': users,
  'spec.owner.team': teams,
  'spec.user': users,
  'spec.team': teams,
};

/** Returns the object that does not exist according to an error response; `undefined` if the error has another cause. */
export function missingNameIn({ code, status }: StatusError): MissingName | undefined {
  const { kind: kindOrPlural = '', name = '', causes = [] } = status.details ?? {};
  if (code === 404) {
    const project = kindOrPlural === 'namespaces' ? projectOfNamespace(name) : undefined;
    if (project !== undefined) return { kind: projects, name: project };
    const kind = namedKinds.find(({ plural }) => plural === kindOrPlural);
    return kind === undefined || name === '' ? undefined : { kind, name };
  }
  const [cause] = causes;
  if (code !== 422 || causes.length !== 1 || cause?.reason !== 'FieldValueNotFound') return undefined;
  const referenced = cause.field === undefined ? undefined : referenceFields[cause.field];
  const [, missing] = /^Not found: "([^"\\]+)"$/.exec(cause.message ?? '') ?? [];
  if (referenced === undefined || missing === undefined) return undefined;
  const isSpace = kindOrPlural === spaces.kind;
  return { kind: referenced === templates && isSpace ? spaceTemplates : referenced, name: missing };
}

const maxShown = 10;

/** Describes a missing name, and the names that the user may have meant. */
export function missingNameText({ kind, name }: MissingName, known?: KnownNames): string {
  const list = `list them with: flotilla ${commandPath(kind, 'list')}`;
  const where = known?.project === undefined ? '' : ` in project "${known.project}"`;
  const isKey = kind === ownedAccessKeys || kind === accessKeys;
  const close = closestNames(name, known?.names ?? []);
  const didYouMean = `did you mean ${close.map((one) => `"${one}"`).join(' or ')}?`;
  // Mention the keys of other users. Otherwise, a user who must revoke a key of another user could conclude that this
  // key does not exist any more.
  if (kind === ownedAccessKeys) {
    const others = 'list yours with: flotilla access-key list; administrators reach the keys of other users with --all';
    return `you have no access key "${name}"; ${close.length > 0 ? didYouMean : others}`;
  }
  const missing = `${kind.noun} "${name}" not found${where}`;
  if (known === undefined || isKey) return `${missing}; ${list}`;
  if (close.length > 0) return `${missing}; ${didYouMean}`;
  if (known.names.length === 0) return `${missing}; there are none`;
  const shown = known.names.slice(0, maxShown).join(', ');
  const isWhole = !known.isPartial && known.names.length <= maxShown;
  return `${missing}; there are: ${isWhole ? shown : `${shown}, and more; ${list}`}`;
}
