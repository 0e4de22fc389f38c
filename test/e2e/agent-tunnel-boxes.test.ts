import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ConnectProxy } from '../../src/agent/tunnel/connect-proxy.fixture.ts';
import { kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { type Edge, namespacesOf, openEdge } from '../harness/network/edge.ts';
import { haproxyMissing } from '../harness/network/haproxy.ts';
import { NetworkRoom, networkRoomsMissing } from '../harness/network/network-room.ts';
import { freePorts, startProgram } from '../harness/start-program.mjs';
import { describeIfAvailable } from '../harness/suite.ts';
import { makeAuthority } from '../kubernetes/harness/authority.ts';

const missing = kubectlMissing ?? haproxyMissing ?? networkRoomsMissing;
const outside = '198.18.79.1';
const boxPort = 8445;

describeIfAvailable(missing, 'an agent in a network that reaches only one middlebox and accepts no connections', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-boxes-'));
  let room: NetworkRoom;
  let edge: Edge | undefined;
  let serverPort: number;

  beforeAll(async () => {
    room = NetworkRoom.open('boxes', [outside, '198.18.79.2']);
    room.refuseConnections('in');
    [serverPort = 0] = await freePorts(1);
    const authority = await makeAuthority('box');
    const { cert, key } = await authority.serving([outside]);
    writeFileSync(join(folder, 'box-ca.crt'), authority.cert);
    writeFileSync(join(folder, 'box.pem'), `${cert}\n${key}`, { mode: 0o600 });
  });
  afterEach(async () => {
    await edge?.close();
    edge = undefined;
  });
  afterAll(() => {
    room?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /**
   * Starts the agent, and a server that listens on the loopback interface. The agent's network cannot reach that
   * interface.
   */
  async function open(...flags: readonly string[]): Promise<Edge> {
    edge = await openEdge({
      server: `127.0.0.1:${serverPort}`,
      // The agent listens at all addresses. Only the firewall refuses connections from outside.
      agent: '0.0.0.0:8444',
      agentPrefix: room.commandPrefix,
      host: ['--built-in', '--tunnel', ...flags],
    });
    return edge;
  }

  /** Uses a virtual cluster of the agent: a write, a large read, and a watch. */
  async function use({ createInstance, kubeconfigOf, requestServer, server }: Edge): Promise<void> {
    await createInstance('vc');
    const kubectl = kubectlWith(await kubeconfigOf('vc'));
    const watch = kubectl.follow(['get', 'configmaps', '-n', 'default', '--watch', '-o', 'name']);
    const data = { text: 'x'.repeat(900_000) };
    const large = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large', namespace: 'default' }, data };
    await kubectl.ok(['create', '-f', '-'], { input: JSON.stringify(large) });
    await watch.waitForOutput(/configmap\/large/);
    await watch.stop();
    expect(await kubectl.ok(['get', 'configmap', 'large', '-o', 'jsonpath={.data.text}'])).toBe(data.text);
    expect((await requestServer(namespacesOf('vc'), server.adminKey)).code).toBe(200);
  }

  async function codeOf({ requestServer, server }: Edge): Promise<number> {
    return (await requestServer(namespacesOf('vc'), server.adminKey)).code;
  }

  async function waitUntilServed(opened: Edge): Promise<void> {
    await expect.poll(() => codeOf(opened), { timeout: 60_000, interval: 200 }).toBe(200);
  }

  it('uses an HTTP proxy with a password, and reconnects after the proxy was restarted', async () => {
    let proxy = await ConnectProxy.start(outside, 'anna:hush');
    const { port } = proxy;
    const file = join(folder, 'proxy-url');
    writeFileSync(file, `http://anna:hush@${outside}:${port}`, { mode: 0o600 });
    try {
      const opened = await open('--proxy-url-file', file);
      await use(opened);
      expect(proxy.refused).toBe(0);
      await proxy.stop();
      await expect.poll(() => codeOf(opened), { timeout: 10_000 }).toBe(503);
      proxy = await ConnectProxy.start(outside, 'anna:hush', port);
      await waitUntilServed(opened);
      expect(opened.agent.output()).not.toContain('hush');
      const dialed = connectTcp({ host: room.inside, port: 8444, timeout: 1_000 });
      await once(dialed, 'timeout');
      dialed.destroy();
    } finally {
      await proxy.stop();
    }
  });

  it('uses WebSockets behind a middlebox that decrypts TLS and refuses other upgrades', async () => {
    const box = await startBox('http-request deny if { req.hdr(upgrade) -i flotilla-tunnel }');
    try {
      const opened = await open(...throughBox());
      await use(opened);
      expect(opened.agent.output()).toMatch(/"carrier":"web-socket".*opened a tunnel/);
      expect(opened.agent.output()).not.toMatch(/"carrier":"upgrade".*opened a tunnel/);
    } finally {
      await box.stop();
    }
  });

  it('uses an upgrade behind a middlebox that decrypts TLS and permits it, and reconnects after the middlebox was restarted', async () => {
    let box = await startBox('');
    try {
      const opened = await open(...throughBox());
      await use(opened);
      expect(opened.agent.output()).toMatch(/"carrier":"upgrade".*opened a tunnel/);
      await box.stop('SIGKILL');
      await expect.poll(() => codeOf(opened), { timeout: 10_000 }).toBe(503);
      box = await startBox('');
      await waitUntilServed(opened);
    } finally {
      await box.stop();
    }
  });

  /** The flags of an agent that connects to the address of the middlebox and trusts its certificate. */
  function throughBox(): string[] {
    const trusted = join(folder, 'box-ca.crt');
    return ['--management', `https://${outside}:${boxPort}`, '--ca-file', trusted, '--log-level', 'debug'];
  }

  /** Starts haproxy between the agent and the server, with a certificate of its own. */
  async function startBox(rule: string) {
    const lines = [
      'defaults',
      '  mode http',
      '  timeout connect 5s',
      '  timeout client 60s',
      '  timeout server 60s',
      '  timeout tunnel 60s',
      'frontend box',
      `  bind ${outside}:${boxPort} ssl crt ${join(folder, 'box.pem')} alpn http/1.1`,
      `  ${rule}`,
      '  default_backend server',
      'backend server',
      `  server one 127.0.0.1:${serverPort} ssl verify none`,
    ];
    writeFileSync(join(folder, 'box.cfg'), `${lines.join('\n')}\n`);
    const box = startProgram('haproxy', ['-db', '-f', join(folder, 'box.cfg')], folder);
    await expect.poll(isListening, { timeout: 10_000 }).toBe(true);
    return box;
  }

  async function isListening(): Promise<boolean> {
    const socket = connectTcp(boxPort, outside);
    try {
      await once(socket, 'connect');
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }
});
