import type { MountedResource, MountedSubresource } from '../../registry/mounted-resource.ts';

const resourceVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'] as const;

/**
 * Returns the verbs of a resource for discovery: alphabetical for a built-in kind, otherwise in the order of DISC-06.
 */
export function discoveryVerbsOf({
  kind,
  verbs,
  unlisted = [],
}: Pick<MountedResource, 'kind' | 'verbs' | 'unlisted'>): string[] {
  const listed = resourceVerbs.filter((verb) => verbs[verb] !== undefined && !unlisted.includes(verb));
  return kind.builtIn === true ? listed.sort() : listed;
}

/** Returns the verbs of a subresource for discovery. A POST to a subresource is authorized as `create`. */
export function subresourceVerbsOf({ verbs, connects }: MountedSubresource): string[] {
  if (verbs.connect !== undefined) return ['create', 'get'];
  if (connects === true) return ['create', 'delete', 'get', 'patch', 'update'];
  const listed: string[] = (['get', 'patch', 'update'] as const).filter((verb) => verbs[verb] !== undefined);
  if (verbs.read !== undefined) listed.unshift('get');
  return verbs.createNamed === undefined ? listed : ['create', ...listed];
}
