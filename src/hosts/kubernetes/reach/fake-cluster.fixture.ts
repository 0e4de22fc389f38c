import type { JsonObject } from '@flotilla/json';
import { type Kubeconfig, writeKubeconfig } from '../../../api/kubeconfig.ts';
import { serviceUnavailable } from '../../../api/status.ts';
import type { Fetch } from '../../../client/http-client.ts';
import type { HostConnection } from './host-connection.ts';

/** A fake of the few Kubernetes API responses that decide whether the server can use a cluster; tests change them. */
export class FakeCluster {
  uid: string;
  version = 'v1.36.3';
  /**
   * The behavior of the cluster: 200 serves requests normally, another positive number is the status of every response,
   * 0 refuses connections, and -1 never responds.
   */
  statusOverride = 200;
  /** Returns true if the requested permission is granted. A request for `*` covers all permissions. */
  allowed: (right: JsonObject) => boolean = () => true;
  /** Responses by path, instead of the default ones. */
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
      fetch: (path, init) => this.#answer(path, init),
      kubeconfig: writeKubeconfig(kubeconfig),
      close: async () => {
        this.open -= 1;
      },
    };
  }

  async #answer(path: string, { body: sent, signal }: Parameters<Fetch>[1]): ReturnType<Fetch> {
    this.requestedPaths.push(path);
    if (this.statusOverride === 0) throw serviceUnavailable('the connection was refused');
    if (this.statusOverride < 0) {
      return await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    }
    const { code, text } = this.bodies.get(path) ?? this.#ordinary(path, sent);
    const body = async function* () {
      yield Buffer.from(text);
    };
    return { status: code, text: async () => text, body: body() };
  }

  #ordinary(path: string, body: string | undefined): { code: number; text: string } {
    if (this.statusOverride !== 200) return { code: this.statusOverride, text: 'not now' };
    if (path === '/readyz') return { code: 200, text: 'ok' };
    if (path === '/version') return { code: 200, text: JSON.stringify({ gitVersion: this.version }) };
    if (body === undefined) return { code: 200, text: JSON.stringify({ metadata: { uid: this.uid } }) };
    const { spec } = JSON.parse(body) as { spec: { resourceAttributes: JsonObject } };
    const isAllowed = this.allowed(spec.resourceAttributes);
    return { code: 201, text: JSON.stringify({ status: { allowed: isAllowed } }) };
  }
}

export function forbiddenText(user: string): string {
  return JSON.stringify({
    kind: 'Status',
    message: `namespaces "kube-system" is forbidden: User "${user}" cannot get`,
  });
}
