import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { MemoryAuditLog } from '../../test/harness/test-http-server.ts';
import type { VirtualClusterInstance } from '../api/management/v1/virtual-cluster-instance.ts';
import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { HostedVirtualCluster } from '../hosts/host.ts';

/** A request as the target received it. */
export type SeenRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** State that a test may change while the servers run. */
export class ForwardingState {
  readonly seen: SeenRequest[] = [];
  readonly audit = new MemoryAuditLog();
  respond: RequestListener = (_request, response) => void response.end('{}');
  onUpgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => void = (_request, socket) => socket.destroy();
  decide: (identity: Identity, attributes: Attributes) => Decision = () => ({ allowed: true, reason: '' });
  /** Revokes the key of the user whose token is `<name>-token`. */
  readonly keys = new Map<string, AbortController>();
  readonly rights = new AbortController();
  phase: HostedVirtualCluster['phase'] = 'Ready';
  woken = 0;
  /** Until this resolves, the host's cache is not synced. */
  hostSynced: Promise<void> = Promise.resolve();
  onHostChange: () => void = () => {};
  instance: VirtualClusterInstance = {
    apiVersion: 'management.platform.sh/v1',
    kind: 'VirtualClusterInstance',
    metadata: { name: 'demo', namespace: 'p-default', uid: 'i1' },
    spec: { clusterRef: { cluster: 'far', namespace: 'n', virtualCluster: 'v' } },
    status: { phase: 'Ready', serviceUID: 'v1', deployHash: 'x', virtualCluster: {} },
  };

  /** Tokens are `<user>-token`. */
  identity(token: string): Identity | undefined {
    const name = /^(\w+)-token$/.exec(token)?.[1];
    if (name === undefined) return undefined;
    const key = this.keys.get(name) ?? new AbortController();
    this.keys.set(name, key);
    const groups = name === 'root' ? ['platform:admins'] : ['testers', 'system:masters'];
    const rights = () => this.rights.signal;
    return {
      user: { name, groups },
      accessKey: `${name}-key`,
      system: false,
      signal: key.signal,
      permissionSignal: rights,
    };
  }
}
