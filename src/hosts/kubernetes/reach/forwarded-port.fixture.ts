import { connect } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ApiServerTestEnv } from './api-server.fixture.ts';

export interface ForwardedPorts {
  /** The pod name of each port-forward request so far, in order. */
  readonly pods: string[];
  /** The WebSockets that are open now. */
  readonly open: Set<WebSocket>;
  /** Returns the local port to which connections for a pod are forwarded; `undefined` if there is no such pod. */
  portOf: (pod: string) => number | undefined;
  /** The number of pings that the server has received. */
  pings: number;
}

/**
 * Makes a test server forward ports like a kubelet. Each connection has a data channel and an error channel, and both
 * begin with the port number.
 */
export function forwardPorts(
  env: ApiServerTestEnv,
  portOf: ForwardedPorts['portOf'],
  { autoPong = true } = {},
): ForwardedPorts {
  const server = new WebSocketServer({
    noServer: true,
    autoPong,
    handleProtocols: (offered) => (offered.has('v4.channel.k8s.io') ? 'v4.channel.k8s.io' : false),
  });
  const forwarded: ForwardedPorts = { pods: [], open: new Set(), portOf, pings: 0 };
  env.onUpgrade = (message, socket, head) => {
    const [, pod = '', asked] = /\/pods\/([^/]+)\/portforward\?ports=(\d+)$/.exec(message.url ?? '') ?? [];
    const port = forwarded.portOf(pod);
    forwarded.pods.push(pod);
    if (port === undefined) {
      const status = {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        message: `pods "${pod}" not found`,
        code: 404,
      };
      const body = JSON.stringify(status);
      socket.end(`HTTP/1.1 404 Not Found\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
      return;
    }
    server.handleUpgrade(message, socket, head, (webSocket) => {
      forwarded.open.add(webSocket);
      webSocket.once('close', () => forwarded.open.delete(webSocket));
      webSocket.on('ping', () => {
        forwarded.pings++;
      });
      join(webSocket, Number(asked), port);
    });
  };
  return forwarded;
}

function join(webSocket: WebSocket, asked: number, port: number): void {
  const prefix = Buffer.alloc(2);
  prefix.writeUInt16LE(asked);
  webSocket.send(Buffer.concat([Buffer.of(0), prefix]));
  webSocket.send(Buffer.concat([Buffer.of(1), prefix]));
  const target = connect({ host: '127.0.0.1', port });
  webSocket.on('message', (data: Buffer) => {
    if (!target.write(data.subarray(1))) webSocket.pause();
  });
  target.on('drain', () => webSocket.resume());
  webSocket.once('close', () => target.destroy());
  target.on('data', (chunk) => {
    target.pause();
    webSocket.send(Buffer.concat([Buffer.of(0), chunk]), () => target.resume());
  });
  target.on('error', (error) => webSocket.send(Buffer.concat([Buffer.of(1), Buffer.from(error.message)])));
  target.once('close', () => webSocket.close());
}
