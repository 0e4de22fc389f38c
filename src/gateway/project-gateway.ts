import type { SpaceInstance } from '../api/management/v1/space-instance.ts';
import type { VirtualClusterInstance } from '../api/management/v1/virtual-cluster-instance.ts';
import { pathNotFound } from '../api/status.ts';
import { authenticatedChain } from '../http/chain.ts';
import type { Handler } from '../http/exchange.ts';
import { pathSegments, rawPath } from '../http/request/path-segments.ts';
import { type InstanceGatewayOptions, instanceGateway } from './instance-gateway.ts';
import { virtualClusterType } from './instance-type.ts';
import { spaceType } from './spaces/space-type.ts';

type SharedOptions = Pick<
  InstanceGatewayOptions<VirtualClusterInstance>,
  'chain' | 'authorize' | 'tokens' | 'resume' | 'onPlane' | 'countRequest' | 'clock'
>;

export interface ProjectGatewayOptions extends SharedOptions {
  readonly virtualClusters: Pick<
    InstanceGatewayOptions<VirtualClusterInstance>,
    'instance' | 'access' | 'changes' | 'serviceAccounts'
  >;
  /**
   * Spaces do not accept service account tokens, because the service accounts in a space belong to the host cluster.
   */
  readonly spaces: Pick<InstanceGatewayOptions<SpaceInstance>, 'instance' | 'access' | 'changes'>;
}

/** Handles `/<api_prefix>/project/<project>/virtualcluster/<name>` and `/<api_prefix>/project/<project>/space/<name>`. */
export function projectGateway({ virtualClusters, spaces, ...shared }: ProjectGatewayOptions): Handler {
  const handlers: ReadonlyMap<string, Handler> = new Map([
    [virtualClusterType.pathSegment, instanceGateway({ ...shared, ...virtualClusters, type: virtualClusterType })],
    [spaceType.pathSegment, instanceGateway({ ...shared, ...spaces, type: spaceType })],
  ]);
  const unknownPath = authenticatedChain({ ...shared.chain, depth: 2 }, () => Promise.reject(pathNotFound()));
  return (exchange) => {
    const [, , project = '', collection = '', name = ''] = pathSegments(rawPath(exchange.request.url));
    const handler = project === '' || name === '' ? undefined : handlers.get(collection);
    if (handler === undefined) return unknownPath(exchange);
    exchange.project = project;
    return handler(exchange);
  };
}
