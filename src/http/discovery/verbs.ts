import type { ResourceVerbs, SubresourceVerbs } from '../../registry/verbs.ts';

const resourceVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'] as const;

/** A verb is listed because its function is there, in the order of rule DISC-06. */
export function verbsOf(verbs: ResourceVerbs): string[] {
  return resourceVerbs.filter((verb) => verbs[verb] !== undefined);
}

/** A POST to a subresource is `create` to whoever authorises it. */
export function subresourceVerbsOf(verbs: SubresourceVerbs): string[] {
  const listed: string[] = (['get', 'patch', 'update'] as const).filter((verb) => verbs[verb] !== undefined);
  return verbs.createNamed === undefined ? listed : ['create', ...listed];
}
