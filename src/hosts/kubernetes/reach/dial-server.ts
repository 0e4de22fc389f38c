import type { Kubeconfig } from '../../../api/kubeconfig.ts';
import type { Clock } from '../../../lib/clock.ts';
import { connectTcp, type Dial, openSocket, waitForSocket } from './open-socket.ts';
import { createTlsConnector } from './tls-connector.ts';
import { tunnelThroughProxy } from './tunnel-through-proxy.ts';

export interface DialOptions {
  readonly clock: Clock;
  /** The timeout for a connection, in milliseconds. */
  readonly timeout: number;
}

/** The part of a kubeconfig that a connection needs; each request carries the user's credentials itself. */
export type ServerAddress = Omit<Kubeconfig, 'token' | 'username' | 'password'>;

/** Connections to the server of a kubeconfig. Throws StatusError 400 if its certificates or keys are unusable. */
export function dialServer(kubeconfig: ServerAddress, { clock, timeout }: DialOptions): Dial {
  const { server, certificateAuthority, tlsServerName, insecureSkipTlsVerify, proxyUrl, clientCertificate, clientKey } =
    kubeconfig;
  const { protocol, hostname, port, host: where } = new URL(server);
  const isSecure = protocol === 'https:';
  const target = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (isSecure ? 443 : 80) };
  const tlsOptions = {
    certificateAuthority,
    name: tlsServerName ?? target.host,
    insecure: insecureSkipTlsVerify,
    clientCertificate,
    clientKey,
  };
  const secure = isSecure ? createTlsConnector(tlsOptions) : undefined;
  const connect = proxyUrl === undefined ? connectTcp : tunnelThroughProxy(new URL(proxyUrl), timeout);
  return (signal) =>
    openSocket({ clock, timeout, where, signal }, async (track) => {
      const carrier = await connect(target, track);
      return secure === undefined ? carrier : await waitForSocket(secure(carrier), 'secureConnect', track);
    });
}
