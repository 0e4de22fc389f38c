import type { JsonObject } from '@flotilla/json';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { ResourceVerbs, SubresourceVerbs } from '../../registry/verbs.ts';
import { httpMethodByAction, type OpenApiAction, openApiOperation } from './operations.ts';
import { nameParameter, namespaceParameter, prettyParameter } from './parameters.ts';

/** Returns all OpenAPI paths of a resource, with an operation for each verb that it supports (OAPI-05, OAPI-08). */
export function openApiPathsOf(resource: MountedResource): JsonObject {
  const { kind, verbs, subresources } = resource;
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const scope = kind.namespaced ? 'Namespaced' : '';
  const scoped = kind.namespaced ? [namespaceParameter] : [];
  const collection = `${root}/${kind.namespaced ? 'namespaces/{namespace}/' : ''}${kind.plural}`;
  const item = `${collection}/{name}`;
  const paths: JsonObject = {};

  const add = (path: string, parameters: readonly JsonObject[], operations: readonly [OpenApiAction, JsonObject][]) => {
    if (operations.length === 0) return;
    paths[path] = {
      ...Object.fromEntries(operations.map(([action, described]) => [httpMethodByAction[action], described])),
      parameters: [...parameters, prettyParameter],
    };
  };
  const own = (actions: readonly OpenApiAction[], place = scope) =>
    actions.map((action): [OpenApiAction, JsonObject] => [
      action,
      openApiOperation(action, kind, kind, { scope: place, subresource: '' }),
    ]);

  add(collection, scoped, own(collectionActions(verbs)));
  add(item, [nameParameter, ...scoped], own(itemActions(verbs)));
  if (kind.namespaced && verbs.list !== undefined) add(`${root}/${kind.plural}`, [], own(['list'], 'ForAllNamespaces'));
  for (const [name, subresource] of Object.entries(subresources)) {
    const operations = subresourceActions(subresource.verbs).map((action): [OpenApiAction, JsonObject] => [
      action,
      openApiOperation(action, kind, subresource.kind, { scope, subresource: name }),
    ]);
    add(`${item}/${name}`, [nameParameter, ...scoped], operations);
  }
  return paths;
}

function collectionActions(verbs: ResourceVerbs): OpenApiAction[] {
  return present([
    [verbs.list, 'list'],
    [verbs.create, 'post'],
    [verbs.deletecollection, 'deletecollection'],
  ]);
}

function itemActions(verbs: ResourceVerbs): OpenApiAction[] {
  return present([
    [verbs.get, 'get'],
    [verbs.update, 'put'],
    [verbs.delete, 'delete'],
    [verbs.patch, 'patch'],
  ]);
}

function subresourceActions(verbs: SubresourceVerbs): OpenApiAction[] {
  return present([
    [verbs.get ?? verbs.read, 'get'],
    [verbs.createNamed, 'post'],
    [verbs.update, 'put'],
    [verbs.patch, 'patch'],
  ]);
}

function present(candidates: readonly (readonly [unknown, OpenApiAction])[]): OpenApiAction[] {
  return candidates.filter(([verb]) => verb !== undefined).map(([, action]) => action);
}
