import type { Socket } from 'node:net';
import type { Kubeconfig } from '../../../api/kubeconfig.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { OutgoingAddresses } from '../../../lib/outgoing-addresses.ts';
import { NoResponseError } from './no-response.ts';
import {
  connectTcp,
  type Dial,
  openSocket,
  type SocketAttempt,
  type TrackResource,
  waitForSocket,
} from './open-socket.ts';
import { createTlsConnector } from './tls-connector.ts';
import { tunnelThroughProxy } from './tunnel-through-proxy.ts';

export interface DialOptions {
  readonly clock: Clock;
  /** The timeout for opening a connection including TLS, in milliseconds. */
  readonly timeout: number;
  /** The servers to which connections are allowed. Optional; defaults to all servers. */
  readonly policy?: ConnectionPolicy | undefined;
}

/** The servers to which this process connects on behalf of users. */
export interface ConnectionPolicy {
  readonly addresses: OutgoingAddresses;
  /** True if servers without TLS are allowed. */
  readonly allowPlainHttp: boolean;
}

/**
 * The fields of a kubeconfig that are needed to open a connection. Tokens and passwords are excluded, because they are
 * sent with each request.
 */
export type ServerAddress = Omit<Kubeconfig, 'token' | 'username' | 'password'>;

/**
 * Returns a function that opens connections to the server of a kubeconfig. Throws StatusError 400 if the certificates
 * or keys are unusable.
 */
export function dialServer(kubeconfig: ServerAddress, options: DialOptions): Dial {
  const { certificateAuthority, tlsServerName, insecureSkipTlsVerify, clientCertificate, clientKey } = kubeconfig;
  const { isSecure, host } = targetOf(kubeconfig);
  if (!isSecure) return dialWithoutTls(kubeconfig, options);
  const secure = createTlsConnector({
    certificateAuthority,
    name: tlsServerName ?? host,
    insecure: insecureSkipTlsVerify,
    clientCertificate,
    clientKey,
  });
  const connect = connector(kubeconfig, options);
  return (signal) =>
    openSocket(attempt(kubeconfig, options, signal), async (track) =>
      waitForSocket(secure(await connect(track)), 'secureConnect', track),
    );
}

/**
 * Returns a function that opens connections without TLS to the server of a kubeconfig, even if its URL is `https://`. The
 * caller adds TLS. Throws StatusError 400 if the proxy URL is unusable.
 */
export function dialWithoutTls(kubeconfig: ServerAddress, options: DialOptions): Dial {
  const connect = connector(kubeconfig, options);
  return (signal) => openSocket(attempt(kubeconfig, options, signal), connect);
}

/** Returns a function that opens TCP connections to the server, directly or through its proxy. */
function connector(kubeconfig: ServerAddress, { timeout, policy }: DialOptions) {
  const { proxyUrl } = kubeconfig;
  const { isSecure, where, host, port } = targetOf(kubeconfig);
  const connect = proxyUrl === undefined ? connectTcp : tunnelThroughProxy(new URL(proxyUrl), timeout);
  return async (track: TrackResource): Promise<Socket> => {
    if (!isSecure && policy?.allowPlainHttp === false) {
      const message = `${where} is not used, because its address has no TLS (http://); see the setting hosts.allowPlainHttp`;
      throw new NoResponseError('ServerDenied', message);
    }
    return await connect({ host, port }, track, policy?.addresses);
  };
}

function attempt(kubeconfig: ServerAddress, { clock, timeout }: DialOptions, signal: AbortSignal): SocketAttempt {
  return { clock, timeout, where: targetOf(kubeconfig).where, signal };
}

function targetOf({ server }: ServerAddress) {
  const { protocol, hostname, port, host: where } = new URL(server);
  const isSecure = protocol === 'https:';
  return { isSecure, where, host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (isSecure ? 443 : 80) };
}
