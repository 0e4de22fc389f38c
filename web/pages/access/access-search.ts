import type { AccessQuestion } from '../../components/access/effective-access.tsx';

/**
 * The URL parameters of the page: the chosen subject and object. The page shows only one of the two, according to `by`.
 */
export interface AccessSearch {
  /** `subject` shows the permissions of a subject; `object` shows who has access to an object. Optional; defaults to `subject`. */
  readonly by?: 'object' | undefined;
  /** The chosen subject: `User/name`, `Team/name` or `AccessKey/name`. */
  readonly subject?: string | undefined;
  /** The project to which the list is limited. */
  readonly project?: string | undefined;
  /** The chosen object: `kind/name`, or `kind/project/name` for an object of a project. */
  readonly object?: string | undefined;
}

export function accessSearch(search: Record<string, unknown>): AccessSearch {
  const text = (name: keyof AccessSearch) =>
    typeof search[name] === 'string' && search[name] !== '' ? { [name]: search[name] } : {};
  return {
    ...(search.by === 'object' ? { by: 'object' } : {}),
    ...text('subject'),
    ...text('project'),
    ...text('object'),
  };
}

/** The kinds of objects that a review accepts, with their names in the URL. */
export const objectKinds = [
  { id: 'virtual-cluster', label: 'Virtual cluster' },
  { id: 'space', label: 'Space' },
  { id: 'project', label: 'Project', resource: 'projects' },
  { id: 'cluster', label: 'Cluster', resource: 'clusters' },
  { id: 'template', label: 'Template', resource: 'virtualclustertemplates' },
  { id: 'space-template', label: 'Space template', resource: 'spacetemplates' },
] as const;

export type ObjectKindId = (typeof objectKinds)[number]['id'];

/** Returns the review for the subject or object in the URL. `undefined` if nothing is chosen or the text is invalid. */
export function questionOf({ by, subject = '', project, object = '' }: AccessSearch): AccessQuestion | undefined {
  if (by === 'object') return objectQuestion(object);
  const [kind, name = ''] = splitOnce(subject);
  const within = project === undefined ? {} : { project };
  if (name === '') return undefined;
  if (kind === 'User') return { user: name, ...within };
  if (kind === 'Team') return { team: name, ...within };
  return kind === 'AccessKey' ? { accessKey: name, ...within } : undefined;
}

function objectQuestion(text: string): AccessQuestion | undefined {
  const [id = '', rest = ''] = splitOnce(text);
  const chosen = objectKinds.find((one) => one.id === id);
  if (chosen === undefined || rest === '') return undefined;
  if ('resource' in chosen) return { object: { resource: chosen.resource, name: rest } };
  const [project = '', name = ''] = splitOnce(rest);
  if (name === '') return undefined;
  return id === 'space' ? { spaceInstance: { project, name } } : { virtualClusterInstance: { project, name } };
}

/** Splits a text at its first slash. */
function splitOnce(text: string): readonly [string, string?] {
  const at = text.indexOf('/');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
