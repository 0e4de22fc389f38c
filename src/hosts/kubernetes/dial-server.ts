import type { Kubeconfig } from '../../api/kubeconfig.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Dial, openSocket, standing, tcpTo } from './open-socket.ts';
import { throughProxy } from './through-proxy.ts';
import { tlsOver } from './tls-over.ts';

export interface DialOptions {
  readonly clock: Clock;
  /** Milliseconds until a connection stands. */
  readonly timeout: number;
}

/** Of a kubeconfig, what a connection needs; who sends a request says so in each of them. */
export type ServerAddress = Omit<Kubeconfig, 'token' | 'username' | 'password'>;

/** Connections to the server that a kubeconfig names. Throws StatusError 400 for certificates and keys of no use. */
export function dialServer(kubeconfig: ServerAddress, { clock, timeout }: DialOptions): Dial {
  const { server, certificateAuthority, tlsServerName, insecureSkipTlsVerify, proxyUrl, clientCertificate, clientKey } =
    kubeconfig;
  const { protocol, hostname, port, host: where } = new URL(server);
  const isSecure = protocol === 'https:';
  const target = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (isSecure ? 443 : 80) };
  const terms = {
    certificateAuthority,
    name: tlsServerName ?? target.host,
    insecure: insecureSkipTlsVerify,
    clientCertificate,
    clientKey,
  };
  const secure = isSecure ? tlsOver(terms) : undefined;
  const reach = proxyUrl === undefined ? tcpTo : throughProxy(new URL(proxyUrl), timeout);
  return (signal) =>
    openSocket({ clock, timeout, where, signal }, async (begun) => {
      const carrier = await reach(target, begun);
      return secure === undefined ? carrier : await standing(secure(carrier), 'secureConnect', begun);
    });
}
