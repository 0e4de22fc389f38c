import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Returns two connected TCP sockets. */
export async function socketPair(): Promise<[Socket, Socket]> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const near = connect((listener.address() as AddressInfo).port, '127.0.0.1');
  const [[far]] = (await Promise.all([once(listener, 'connection'), once(near, 'connect')])) as [[Socket], unknown];
  listener.close();
  return [near, far];
}
