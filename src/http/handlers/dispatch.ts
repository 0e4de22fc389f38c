import {
  methodNotAllowed,
  methodNotAllowedOnPath,
  notFound,
  pathNotFound,
  type StatusError,
} from '../../api/status.ts';
import type { MountedResource, MountedSubresource } from '../../registry/mounted-resource.ts';
import type { Exchange, Handler } from '../exchange.ts';
import type { Plane } from '../plane.ts';
import type { Reply } from '../reply.ts';
import { checkPathName } from '../request/path-name.ts';
import { create } from './create.ts';
import { deleteObject } from './delete.ts';
import { deleteCollection } from './delete-collection.ts';
import { type Endpoint, type EndpointSettings, resourceOf } from './endpoint.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import { readByteStream } from './read-bytes.ts';
import { requestContext } from './request-context.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';

export interface PlaneHandlerOptions extends EndpointSettings {
  readonly plane: Plane;
  /** Serves requests for non-resource paths, such as discovery and health. Optional; by default, they get 404. */
  readonly nonResource?: Handler;
}

/** Returns the handler of a control plane. It finds the resource of the request path and calls the verb's handler. */
export function planeHandler(options: PlaneHandlerOptions): Handler {
  const { plane } = options;
  return (exchange) => {
    const { info } = exchange;
    if (!info.isResource) {
      if (options.nonResource === undefined) throw pathNotFound();
      return options.nonResource(exchange);
    }
    // Another replica may have defined the kind, and this plane may still be opening its store. So wait for the kinds
    // of the group.
    if (plane.settled !== undefined && plane.find(info.group, info.version, info.resource) === undefined)
      return plane.settled(info.group).then(() => serve(options, exchange));
    return serve(options, exchange);
  };
}

function serve(options: PlaneHandlerOptions, exchange: Exchange): Promise<Reply> {
  const endpoint = findEndpoint(options, exchange);
  if (endpoint.subresource !== undefined) return serveSubresource(endpoint, endpoint.subresource);
  return serveResource(endpoint);
}

/** Finds the resource of the request path. Throws 404 if the plane does not serve it (rules REQ-09, REQ-13, REQ-14). */
function findEndpoint(options: PlaneHandlerOptions, exchange: Exchange): Endpoint {
  const { info } = exchange;
  const mounted = options.plane.find(info.group, info.version, info.resource);
  if (mounted === undefined || info.extraSegments.length > 0) throw pathNotFound();
  if (info.verb === '') throw methodNotAllowedOnPath();
  checkScope(mounted, exchange);
  if (mounted.kind.deprecation !== undefined) exchange.warnings.push(mounted.kind.deprecation);
  const subresource = subresourceOf(mounted, exchange);
  return {
    exchange,
    mounted,
    subresource,
    kind: subresource?.kind ?? mounted.kind,
    context: requestContext(options.plane, mounted.kind, exchange),
    settings: options,
  };
}

function checkScope(mounted: MountedResource, { info }: Exchange): void {
  if (mounted.kind.namespaced) {
    // Only list and watch are possible across all namespaces. `deletecollection` needs a namespace (rule DELCOL-05).
    if (info.namespace === '' && info.verb !== 'list' && info.verb !== 'watch') throw pathNotFound();
  } else if (info.namespace !== '' && !(info.resource === 'namespaces' && info.namespace === info.pathName)) {
    throw pathNotFound();
  }
}

function subresourceOf(mounted: MountedResource, { info }: Exchange): MountedSubresource | undefined {
  if (info.subresource === '') return undefined;
  const { kind, subresources } = mounted;
  const reason = mounted.unsupported?.[`${info.verb} ${info.subresource}`];
  if (reason !== undefined) {
    throw methodNotAllowed({ group: kind.group, resource: `${kind.plural}/${info.subresource}` }, info.verb, reason);
  }
  const found = Object.hasOwn(subresources, info.subresource) ? subresources[info.subresource] : undefined;
  if (found === undefined) throw notFound({ group: kind.group, resource: kind.plural }, info.pathName);
  return found;
}

function serveResource(endpoint: Endpoint): Promise<Reply> {
  const { context, mounted } = endpoint;
  const { verbs } = mounted;
  const { verb, pathName } = endpoint.exchange.info;
  const named = pathName !== '';
  // The patch handler checks the name itself, after the content type, because rule PATCH-02 requires this order.
  if (verb !== 'patch') checkPathName(pathName);
  if (verb === 'create' ? named : (verb === 'update' || verb === 'patch') && !named) throw methodNotAllowedOnPath();

  if (verb === 'create' && verbs.create) return create(endpoint, bind(verbs.create, context));
  if (verb === 'list' && verbs.list) return list(endpoint, bind(verbs.list, context));
  if (verb === 'watch' && verbs.watch) return watch(endpoint, bind(verbs.watch, context));
  if (verb === 'deletecollection' && verbs.deletecollection) {
    return deleteCollection(endpoint, bind(verbs.deletecollection, context));
  }
  if (verb === 'get' && verbs.get) return get(endpoint, bindNamed(verbs.get, context, pathName));
  if (verb === 'update' && verbs.update) return update(endpoint, bindNamed(verbs.update, context, pathName));
  if (verb === 'patch' && verbs.patch) return patch(endpoint, bindNamed(verbs.patch, context, pathName));
  if (verb === 'delete' && verbs.delete) return deleteObject(endpoint, bindNamed(verbs.delete, context, pathName));
  throw verbRefused(endpoint);
}

/**
 * Returns the error for a verb that the resource does not support. For built-in kinds, it equals the error for a path
 * without a route, because Kubernetes registers no route for such a verb (rule REQ-12).
 */
function verbRefused(endpoint: Endpoint): StatusError {
  const { verb, subresource } = endpoint.exchange.info;
  const reason = endpoint.mounted.unsupported?.[`${verb} ${subresource}`.trimEnd()];
  if (reason !== undefined) return methodNotAllowed(resourceOf(endpoint), verb, reason);
  if (endpoint.mounted.kind.builtIn === true) return methodNotAllowedOnPath();
  return methodNotAllowed(resourceOf(endpoint), verb);
}

function serveSubresource(endpoint: Endpoint, subresource: MountedSubresource): Promise<Reply> {
  const { context } = endpoint;
  const { verbs } = subresource;
  const { verb, pathName } = endpoint.exchange.info;
  if (verb !== 'patch') checkPathName(pathName);
  if (verb === 'get' && verbs.get) return get(endpoint, bindNamed(verbs.get, context, pathName));
  if ((verb === 'get' || verb === 'create') && verbs.connect) {
    return readByteStream(endpoint, bindNamed(verbs.connect, context, pathName));
  }
  if (verb === 'get' && verbs.read) return readByteStream(endpoint, bindNamed(verbs.read, context, pathName));
  if (verb === 'update' && verbs.update) return update(endpoint, bindNamed(verbs.update, context, pathName));
  if (verb === 'patch' && verbs.patch) return patch(endpoint, bindNamed(verbs.patch, context, pathName));
  if (verb === 'create' && verbs.createNamed) return create(endpoint, bindNamed(verbs.createNamed, context, pathName));
  throw verbRefused(endpoint);
}

function bind<Context, Rest extends unknown[], Result>(
  verb: (context: Context, ...rest: Rest) => Result,
  context: Context,
): (...rest: Rest) => Result {
  return (...rest) => verb(context, ...rest);
}

function bindNamed<Context, Rest extends unknown[], Result>(
  verb: (context: Context, name: string, ...rest: Rest) => Result,
  context: Context,
  name: string,
): (...rest: Rest) => Result {
  return (...rest) => verb(context, name, ...rest);
}
