import type { JsonObject } from '@flotilla/json';
import type { ResourceKind } from '../../api/resource.ts';
import { componentName, metaComponentName, schemaReference } from './component-names.ts';
import { groupVersionKindOf, listComponentName } from './kind-components.ts';
import {
  deleteParameters,
  listParameters,
  patchParameters,
  resourceVersionParameter,
  selectionParameters,
  writeParameters,
} from './parameters.ts';

export type OpenApiAction = 'get' | 'list' | 'post' | 'put' | 'patch' | 'delete' | 'deletecollection';

/** The HTTP method of each OpenAPI action. */
export const httpMethodByAction: Readonly<Record<OpenApiAction, string>> = {
  get: 'get',
  list: 'get',
  post: 'post',
  put: 'put',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete',
};

const verbs: Readonly<Record<OpenApiAction, string>> = {
  get: 'read',
  list: 'list',
  post: 'create',
  put: 'replace',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete',
};

/** The scope and subresource of an OpenAPI operation. Both are part of the operation's ID, which must be unique. */
interface OperationScope {
  /** `ForAllNamespaces`, `Namespaced`, or empty for cluster-scoped kinds. */
  readonly scope: string;
  readonly subresource: string;
}

/**
 * The content types of a patch. The strategic merge patch is listed only for built-in kinds, because kubectl uses it if
 * it is listed (rule OAPI-09).
 */
const patchTypes = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'];
const typedPatchTypes = [...patchTypes, 'application/strategic-merge-patch+json'];
const bodyTypes = ['application/json', 'application/yaml'];
const listTypes = [...bodyTypes, 'application/json;stream=watch'];

/**
 * Returns an OpenAPI operation. `resource` determines the path. `kind` is the kind of the request and response bodies.
 * For some subresources, this kind differs from the kind of the resource.
 */
export function openApiOperation(
  action: OpenApiAction,
  resource: ResourceKind,
  kind: ResourceKind,
  scope: OperationScope,
): JsonObject {
  const own = componentName(kind);
  const parameters = parametersOf(action);
  return {
    tags: [tagOf(resource)],
    description: descriptionOf(action, kind, scope.subresource),
    operationId: operationId(action, resource, scope),
    ...(parameters.length === 0 ? {} : { parameters: [...parameters] }),
    ...bodyOf(action, own, resource.builtIn === true ? typedPatchTypes : patchTypes),
    responses: { ...responsesOf(action, kind, own), 401: { description: 'Unauthorized' } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': groupVersionKindOf(kind),
  };
}

function parametersOf(action: OpenApiAction): readonly JsonObject[] {
  switch (action) {
    case 'list':
      return listParameters;
    case 'post':
    case 'put':
      return writeParameters;
    case 'patch':
      return patchParameters;
    case 'get':
      return [resourceVersionParameter];
    case 'delete':
      return deleteParameters;
    case 'deletecollection':
      return [...deleteParameters, ...selectionParameters];
    default:
      return [];
  }
}

function bodyOf(action: OpenApiAction, own: string, patches: readonly string[]): JsonObject {
  if (action === 'get' || action === 'list') return {};
  if (action === 'patch')
    return { requestBody: { required: true, content: content(metaComponentName('Patch'), patches) } };
  if (action === 'delete' || action === 'deletecollection') {
    return { requestBody: { content: content(metaComponentName('DeleteOptions'), bodyTypes) } };
  }
  return { requestBody: { required: true, content: content(own, bodyTypes) } };
}

function responsesOf(action: OpenApiAction, kind: ResourceKind, own: string): JsonObject {
  const ok = (name: string, types: readonly string[] = bodyTypes) => ({
    description: 'OK',
    content: content(name, types),
  });
  switch (action) {
    case 'list':
      return { 200: ok(listComponentName(kind), listTypes) };
    case 'post':
      return { 201: { description: 'Created', content: content(own, bodyTypes) } };
    case 'put':
    case 'patch':
      return { 200: ok(own), 201: { description: 'Created', content: content(own, bodyTypes) } };
    case 'delete':
      return {
        200: ok(metaComponentName('Status')),
        202: { ...ok(metaComponentName('Status')), description: 'Accepted' },
      };
    case 'deletecollection':
      return { 200: ok(metaComponentName('Status')) };
    default:
      return { 200: ok(own) };
  }
}

function content(name: string, types: readonly string[]): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema: schemaReference(name) }]));
}

function descriptionOf(action: OpenApiAction, { kind }: ResourceKind, subresource: string): string {
  const part = subresource === '' ? kind : `${subresource} of a ${kind}`;
  switch (action) {
    case 'list':
      return `list or watch objects of kind ${kind}`;
    case 'deletecollection':
      return `delete a collection of ${kind}`;
    case 'get':
      return `read the specified ${part}`;
    case 'post':
      return `create a ${part}`;
    case 'put':
      return `replace the specified ${part}`;
    case 'patch':
      return `partially update the specified ${part}`;
    default:
      return `delete a ${part}`;
  }
}

function operationId(action: OpenApiAction, resource: ResourceKind, { scope, subresource }: OperationScope): string {
  const collection = action === 'deletecollection' ? 'Collection' : '';
  const suffix = scope === 'ForAllNamespaces' ? scope : '';
  const prefix = scope === 'ForAllNamespaces' ? '' : scope;
  return `${verbs[action]}${groupWord(resource)}${capital(resource.version)}${collection}${prefix}${resource.kind}${capital(subresource)}${suffix}`;
}

function groupWord({ group }: Pick<ResourceKind, 'group'>): string {
  if (group === '') return 'Core';
  return group
    .replace(/\.k8s\.io$/, '')
    .split(/[.-]/)
    .map(capital)
    .join('');
}

function tagOf({ group, version }: ResourceKind): string {
  const word = groupWord({ group });
  return `${word.charAt(0).toLowerCase()}${word.slice(1)}_${version}`;
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
