import { type Kubeconfig, writeKubeconfig } from '../../../../api/kubeconfig.ts';
import { type DialOptions, dialWithoutTls } from '../dial-server.ts';
import type { Dial } from '../open-socket.ts';
import { type BridgeTls, LoopbackBridge } from './loopback-bridge.ts';
import { LoopbackProxy } from './loopback-proxy.ts';

/** A tunnel that programs can use. */
export interface ProgramTunnel {
  readonly dial: Dial;
  /** Returns the certificate of the bridge through which the programs use the tunnel. */
  bridgeTls(): Promise<BridgeTls>;
}

export interface ProgramAccessOptions extends DialOptions {
  /** The tunnel to the server. Optional; without it, connections are opened to the address of the server. */
  readonly tunnel?: ProgramTunnel | undefined;
}

/** The access of other programs on this machine to a cluster. */
export interface ProgramAccess {
  /** Returns a kubeconfig for the programs. It is a secret. */
  kubeconfig(): Promise<string>;
  close(): Promise<void>;
}

/**
 * Returns the access of programs to the cluster of a kubeconfig. If addresses are limited, the programs connect through a
 * proxy in this process, which applies the limits. The programs use the unchanged URL of the server, because servers and load
 * balancers may depend on the host name in requests.
 */
export function openProgramAccess(kubeconfig: Kubeconfig, { tunnel, ...options }: ProgramAccessOptions): ProgramAccess {
  const { origin, pathname } = new URL(kubeconfig.server);
  if (tunnel !== undefined) {
    const bridge = new LoopbackBridge({ dial: tunnel.dial, tls: () => tunnel.bridgeTls() });
    return {
      async kubeconfig() {
        const endpoint = await bridge.endpoint();
        const { certificateAuthority } = endpoint;
        return writeKubeconfig({ ...kubeconfig, server: `${endpoint.origin}${pathname}`, certificateAuthority });
      },
      close: () => bridge.close(),
    };
  }
  if (options.policy === undefined) return { kubeconfig: async () => writeKubeconfig(kubeconfig), async close() {} };
  const proxy = new LoopbackProxy({ origin, dial: dialWithoutTls(kubeconfig, options) });
  return {
    kubeconfig: async () => writeKubeconfig({ ...kubeconfig, proxyUrl: await proxy.url() }),
    close: () => proxy.close(),
  };
}
