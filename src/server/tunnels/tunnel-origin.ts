import type { Kubeconfig } from '../../api/kubeconfig.ts';

/** The origin in the kubeconfig of a cluster that the server reaches through the tunnels of its agent. No such host exists. */
export const tunnelOrigin = 'http://agent.invalid';

/** True if the server reaches the cluster of this kubeconfig through a tunnel. */
export function isTunneled({ server }: Pick<Kubeconfig, 'server'>): boolean {
  return server.startsWith(`${tunnelOrigin}/`);
}
