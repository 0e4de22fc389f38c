import type { Kubeconfig } from '../../../api/kubeconfig.ts';
import type { Clock } from '../../../lib/clock.ts';
import { connectTcp, type Dial, openSocket, waitForSocket } from './open-socket.ts';
import { createTlsConnector } from './tls-connector.ts';
import { tunnelThroughProxy } from './tunnel-through-proxy.ts';

export interface DialOptions {
  readonly clock: Clock;
  /** The timeout for opening a connection including TLS, in milliseconds. */
  readonly timeout: number;
}

/**
 * The fields of a kubeconfig that are needed to open a connection. Tokens and passwords are not among them, because
 * they are sent with each request.
 */
export type ServerAddress = Omit<Kubeconfig, 'token' | 'username' | 'password'>;

/**
 * Returns a function that opens connections to the server of a kubeconfig. Throws StatusError 400 if the certificates
 * or keys are unusable.
 */
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
