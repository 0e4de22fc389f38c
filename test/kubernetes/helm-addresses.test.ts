import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Kubeconfig, readKubeconfig } from '../../src/api/kubeconfig.ts';
import { ApiServerTestEnv } from '../../src/hosts/kubernetes/reach/api-server.fixture.ts';
import { connectToHost, type HostConnection } from '../../src/hosts/kubernetes/reach/host-connection.ts';
import { createHelm, type Helm } from '../../src/hosts/kubernetes/release/helm.ts';
import { defaultHelmSettings } from '../../src/hosts/kubernetes/release/helm-settings.ts';
import { ChangingName } from '../../src/lib/changing-name.fixture.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { OutgoingAddresses } from '../../src/lib/outgoing-addresses.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();
const denied = '127.0.0.2';
const signal = new AbortController().signal;
const location = { namespace: 'default', name: 'one' };

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'the addresses to which helm connects', () => {
  let folder: string;
  let kubernetes: Kubernetes;
  const name = new ChangingName('127.0.0.1');
  const connections: HostConnection[] = [];
  const servers: Server[] = [];
  let reached = 0;

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    folder = await mkdtemp(join(tmpdir(), 'helm-addresses-'));
    await mkdir(join(folder, 'chart', 'templates'), { recursive: true });
    await writeFile(join(folder, 'chart', 'Chart.yaml'), '{apiVersion: v2, name: one, version: 1.0.0}');
    const object = '{apiVersion: v1, kind: ConfigMap, metadata: {name: installed}, data: {key: {{ .Values.key }}}}';
    await writeFile(join(folder, 'chart', 'templates', 'object.yaml'), object);
    kubernetes = await startKubernetes({ programs, standIns: false });
  });
  afterAll(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    for (const server of servers) await new Promise((resolve) => server.close(resolve));
    await kubernetes?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  /** Returns helm for a kubeconfig whose host name resolves to an address that an attacker chooses. */
  function helmFor(kubeconfig: Kubeconfig): Helm {
    const addresses = new OutgoingAddresses([`${denied}/32`], [], name.resolve);
    const connection = connectToHost(kubeconfig, { clock: systemClock, policy: { addresses, allowPlainHttp: true } });
    connections.push(connection);
    const program = typeof programs === 'string' ? '' : programs.helm;
    const settings = { ...defaultHelmSettings, program, environment: { PATH: process.env.PATH ?? '' } };
    const workDir = join(folder, `work-${connections.length}`);
    return createHelm({ settings, kubeconfig: connection.programKubeconfig, workDir, clock: systemClock });
  }
  const install = (helm: Helm, key: string) => {
    const chart = { name: 'one', repo: '', version: '1.0.0', path: join(folder, 'chart') };
    return helm.install({ location, chart, values: `key: ${key}`, labels: { a: 'b' } }, signal);
  };
  const installed = async () =>
    textAt(await kubernetes.api.ok('GET', '/api/v1/namespaces/default/configmaps/installed'), 'data', 'key');

  /** Starts a server without TLS that helm must not reach. */
  async function forbiddenServer(host: string, port = 0): Promise<number> {
    const server = createServer((_, response) => response.end('secret'));
    server.on('connection', () => reached++);
    servers.push(server);
    server.listen(port, host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  it('are those that the server has checked, also if the name of the cluster resolves differently later', async () => {
    const { kubeconfig } = readKubeconfig(readFileSync(kubernetes.kubeconfig, 'utf8'));
    if (kubeconfig === undefined) throw new Error('the kubeconfig of the cluster is invalid');
    const { port } = new URL(kubeconfig.server);
    const server = `https://api.cluster.test:${port}`;
    const helm = helmFor({ ...kubeconfig, server, tlsServerName: '127.0.0.1' });
    await install(helm, 'first');
    expect(await installed()).toBe('first');
    expect(new Set(name.resolved)).toEqual(new Set(['api.cluster.test']));

    await forbiddenServer(denied, Number(port));
    name.address = denied;
    await expect(install(helm, 'second')).rejects.toThrow(
      /helm cannot reach the cluster.*api\.cluster\.test:\d+ is not used, because its address is in a range of the setting hosts\.deniedCIDRs/s,
    );
    expect(reached).toBe(0);
    expect(await installed()).toBe('first');
    name.address = '127.0.0.1';
    await helm.uninstall(location, signal);
  });

  it('do not include those to which the cluster redirects helm', async () => {
    const cluster = await ApiServerTestEnv.start();
    const port = await forbiddenServer('127.0.0.1');
    const tls = createTcpServer((socket) => {
      reached++;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(tls, 'listening');
    const targets = [`http://127.0.0.1:${port}`, `https://127.0.0.1:${(tls.address() as AddressInfo).port}`];
    try {
      for (const target of targets) {
        cluster.respond = ({ url }, response) => response.writeHead(302, { location: `${target}${url}` }).end();
        await expect(install(helmFor({ ...cluster.kubeconfig, token: 'x' }), 'x')).rejects.toThrow('Helm reported');
        expect(cluster.last.headers['user-agent']).toMatch(/^Helm\//);
      }
      expect(reached).toBe(0);
    } finally {
      await new Promise((resolve) => tls.close(resolve));
      await cluster.close();
    }
  });

  it('are used without TLS if this is allowed', async () => {
    const paths: string[] = [];
    const server = createServer(({ url = '', headers }, response) => {
      paths.push(`${headers.host} ${url}`);
      response.writeHead(403).end();
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const host = `plain.cluster.test:${(server.address() as AddressInfo).port}`;
    await expect(install(helmFor({ server: `http://${host}/base`, token: 'x' }), 'x')).rejects.toThrow('Helm reported');
    expect(paths).toContain(`${host} /base/version`);
  });
});
