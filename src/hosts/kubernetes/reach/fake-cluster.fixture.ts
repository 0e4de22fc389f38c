import type { JsonObject } from '@flotilla/json';
import { type Kubeconfig, writeKubeconfig } from '../../../api/kubeconfig.ts';
import { serviceUnavailable } from '../../../api/status.ts';
import type { Fetch } from '../../../client/http-client.ts';
import type { HostConnection } from './host-connection.ts';

/** A fake cluster with the few API paths that a probe requests. A test can change its responses. */
export class FakeCluster {
  uid: string;
  version = 'v1.36.3';
  /**
   * The behavior of the cluster. 200: it serves requests normally. Any other positive number: the status code of every
   * response. 0: it refuses connections. -1: it never responds.
   */
  statusOverride = 200;
  /** Returns true if the cluster grants this permission. A permission with `*` means all permissions. */
  allowed: (permission: JsonObject) => boolean = () => true;
  /** Responses that replace the default responses, by path. */
  readonly bodies = new Map<string, { code: number; text: string }>();
  readonly requestedPaths: string[] = [];
  open = 0;

  constructor(uid: string) {
    this.uid = uid;
  }

  connect(kubeconfig: Kubeconfig): HostConnection {
    this.open += 1;
    const never = () => Promise.reject(new Error('not expected in this test'));
    return {
      api: { send: never, upgrade: never },
      own: { send: never, upgrade: never },
      forward: never,
      webSocket: never,
      fetch: (path, init) => this.#respond(path, init),
      kubeconfig: writeKubeconfig(kubeconfig),
      programKubeconfig: async () => writeKubeconfig(kubeconfig),
      close: async () => {
        this.open -= 1;
      },
    };
  }

  async #respond(path: string, { body: sent, signal }: Parameters<Fetch>[1]): ReturnType<Fetch> {
    this.requestedPaths.push(path);
    if (this.statusOverride === 0) throw serviceUnavailable('the connection was refused');
    if (this.statusOverride < 0) {
      return await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    }
    const { code, text } = this.bodies.get(path) ?? this.#defaultResponse(path, sent);
    const body = async function* () {
      yield Buffer.from(text);
    };
    return { status: code, text: async () => text, body: body() };
  }

  #defaultResponse(path: string, body: string | undefined): { code: number; text: string } {
    if (this.statusOverride !== 200) return { code: this.statusOverride, text: 'not now' };
    if (path === '/readyz') return { code: 200, text: 'ok' };
    if (path === '/version') return { code: 200, text: JSON.stringify({ gitVersion: this.version }) };
    if (body === undefined) return { code: 200, text: JSON.stringify({ metadata: { uid: this.uid } }) };
    const { spec } = JSON.parse(body) as { spec: { resourceAttributes: JsonObject } };
    const isAllowed = this.allowed(spec.resourceAttributes);
    return { code: 201, text: JSON.stringify({ status: { allowed: isAllowed } }) };
  }
}

export function forbiddenStatusJson(user: string): string {
  return JSON.stringify({
    kind: 'Status',
    message: `namespaces "kube-system" is forbidden: User "${user}" cannot get`,
  });
}
