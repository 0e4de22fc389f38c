import { Agent, request } from 'node:https';

/** One client with one connection of HTTP/1.1, which it keeps. See `connect` for what clients do. */
export function connectHttp1(server) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: server.ca });
  const open = (method, path, headers, body) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const options = { method, agent, headers: { authorization: server.authorization, ...headers, ...length } };
      request(`${server.url}${path}`, options, resolve).once('error', reject).end(body);
    });
  return {
    async send(method, path, headers, body) {
      const response = await open(method, path, headers, body);
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      return { status: response.statusCode, body: Buffer.concat(chunks) };
    },
    async stream(path, onData) {
      const response = await open('GET', path, {});
      // The end of a stream is the client's own doing here; what it breaks off is no error.
      response.on('error', () => {}).on('data', onData);
      return { status: response.statusCode, close: () => response.destroy() };
    },
    close: async () => agent.destroy(),
  };
}
