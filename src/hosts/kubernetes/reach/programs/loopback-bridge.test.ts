import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Agent, request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBridgeTls } from '../../../../server/tunnels/create-bridge-tls.ts';
import { LoopbackBridge } from './loopback-bridge.ts';

let server: Server;
let bridge: LoopbackBridge;
let dispatcher: Agent;

beforeEach(async () => {
  server = createServer((incoming, response) => {
    response.end(`${incoming.headers.authorization} asks for ${incoming.url}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  bridge = new LoopbackBridge({ dial: async () => connect(port, '127.0.0.1'), tls: createBridgeTls });
  const { certificateAuthority } = await bridge.endpoint();
  dispatcher = new Agent({ connect: { ca: certificateAuthority } });
});
afterEach(async () => {
  await dispatcher.destroy();
  await bridge.close();
  server.close();
});

test('a bridge uses TLS with its own certificate, because Kubernetes clients send no token without TLS', async () => {
  const { origin } = await bridge.endpoint();
  expect(origin).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const { body } = await request(`${origin}/version`, { dispatcher, headers: { authorization: 'Bearer t' } });
  expect(await body.text()).toBe('Bearer t asks for /version');
  await expect(request(`${origin}/version`)).rejects.toThrow(/certificate/);
});

test('a bridge that is closed ends its connections and refuses new ones', async () => {
  const { origin } = await bridge.endpoint();
  await (await request(`${origin}/version`, { dispatcher })).body.text();
  await bridge.close();
  await expect(request(`${origin}/version`, { dispatcher })).rejects.toThrow();
});
