import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * A provider's response to all requests of some path. `down`: closes the connection. `silent`: accepts the request and
 * never responds. `slow`: sends the response in single bytes, ten per second. `endless`: sends a document without an
 * end, as fast as the client reads.
 */
export type Behaviour = 'normal' | 'down' | 'silent' | 'slow' | 'endless';

/**
 * Responds to a request as a broken provider does. Returns false for the behavior `normal`: the caller must then
 * respond.
 */
export function misbehave(behaviour: Behaviour, request: IncomingMessage, response: ServerResponse): boolean {
  switch (behaviour) {
    case 'normal':
      return false;
    case 'down':
      request.socket.destroy();
      return true;
    case 'silent':
      return true;
    case 'slow':
      sendSlowly(response);
      return true;
    case 'endless':
      sendEndlessly(response);
      return true;
  }
}

function sendSlowly(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{');
  const timer = setInterval(() => response.write(' '), 100);
  response.once('close', () => clearInterval(timer));
}

function sendEndlessly(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"keys":[');
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const send = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', send);
  send();
}
