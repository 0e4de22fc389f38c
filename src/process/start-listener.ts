import { type Listener, type ListenOptions, listen } from '../http/wire/listen.ts';
import { describeError } from './private-dir.ts';
import { StartError } from './start-error.ts';

/** Starts to listen for requests. Throws StartError with a one-line reason if that fails. */
export async function startListener(options: ListenOptions): Promise<Listener> {
  const { host, port } = options;
  try {
    return await listen(options);
  } catch (error) {
    throw new StartError(`cannot listen on ${host}:${port}: ${describeListenError(error)}`, { cause: error });
  }
}

/** Returns the reason why a process cannot listen on an address. */
export function describeListenError(error: unknown): string {
  const fault = describeError(error);
  if (fault === 'EADDRINUSE') return 'the port is in use by another process';
  if (fault === 'EADDRNOTAVAIL') return 'this machine does not have that address';
  return fault === 'ENOTFOUND' ? 'host not found' : fault;
}

/** Returns the URL of this server for local clients. A wildcard address becomes the loopback address. */
export function serverUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `https://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
