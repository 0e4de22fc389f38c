import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { MemoryAuditLog } from '../../test/harness/test-http-server.ts';
import type { SpaceInstance } from '../api/management/v1/space-instance.ts';
import type { VirtualClusterInstance } from '../api/management/v1/virtual-cluster-instance.ts';
import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { HostedVirtualCluster } from '../hosts/host.ts';

/** A request that the target cluster received. */
export type SeenRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** The behavior of the gateways and of the target cluster, which a test may change while the servers run. */
export class ForwardingState {
  readonly seen: SeenRequest[] = [];
  readonly audit = new MemoryAuditLog();
  respond: RequestListener = (_request, response) => void response.end('{}');
  onUpgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => void = (_request, socket) => socket.destroy();
  decide: (identity: Identity, attributes: Attributes) => Decision = () => ({ allowed: true, reason: '' });
  /** The AbortControllers of users' access keys, by user name. Aborting a controller revokes the user's key. */
  readonly keys = new Map<string, AbortController>();
  readonly permissions = new AbortController();
  phase: HostedVirtualCluster['phase'] = 'Ready';
  woken = 0;
  /** Resolves when the cache of the host is synced. A test replaces it to delay the sync. */
  hostSynced: Promise<void> = Promise.resolve();
  onHostChange: () => void = () => {};
  instance: VirtualClusterInstance = {
    apiVersion: 'management.platform.sh/v1',
    kind: 'VirtualClusterInstance',
    metadata: { name: 'demo', namespace: 'p-default', uid: 'i1' },
    spec: { clusterRef: { cluster: 'far', namespace: 'n', virtualCluster: 'v' } },
    status: { phase: 'Ready', serviceUID: 'v1', deployHash: 'x', virtualCluster: {} },
  };
  space: SpaceInstance = {
    apiVersion: 'management.platform.sh/v1',
    kind: 'SpaceInstance',
    metadata: { name: 'web', namespace: 'platform-p-default', uid: 's1' },
    spec: { clusterRef: { cluster: 'far', namespace: 'own' } },
    status: { phase: 'Ready', hostNamespace: { cluster: 'far', name: 'own', uid: 'n1' }, installHash: 'x' },
  };

  /** Returns the identity for a token of the form `<user>-token`; `undefined` for any other token. */
  identity(token: string): Identity | undefined {
    const name = /^(\w+)-token$/.exec(token)?.[1];
    if (name === undefined) return undefined;
    const key = this.keys.get(name) ?? new AbortController();
    this.keys.set(name, key);
    const groups = name === 'root' ? ['platform:admins'] : ['testers', 'system:masters'];
    const permissionSignal = () => this.permissions.signal;
    return {
      user: { name, groups },
      accessKey: `${name}-key`,
      system: false,
      signal: key.signal,
      permissionSignal,
    };
  }
}
