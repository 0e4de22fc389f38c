// Measures the cost of an additional copy of a control plane, and how many copies two replicas keep (decision 46): `npm
// run build && node test/bench/placement.mjs [planes]`. Runs one etcd and two replicas on this machine.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { freePorts, isProgram, startProgram, toolFolders } from '../harness/start-program.mjs';
import { mebibytes, percentile } from './figures.mjs';
import { processorMilliseconds, residentBytes } from './process-figures.mjs';

const planeCount = Number(process.argv[2] ?? 200);
const program = new URL('../../bin/flotilla.js', import.meta.url).pathname;
const etcdProgram = toolFolders()
  .map((folder) => join(folder, 'etcd'))
  .find(isProgram);
const clusters = '/kubernetes/cluster/local/apis/storage.platform.sh/v1/namespaces/default/virtualclusters';
const configMaps = (name) => `${clusters}/${name}/proxy/api/v1/namespaces/default/configmaps`;
const data = { text: 'x'.repeat(1_500) };

class Installation {
  static async start() {
    const installation = new Installation();
    const folder = mkdtempSync(join(tmpdir(), 'flotilla-placement-'));
    installation.folder = folder;
    const [client, peer, ...listen] = await freePorts(4);
    installation.etcdUrl = `http://127.0.0.1:${client}`;
    const peerUrl = `http://127.0.0.1:${peer}`;
    const etcdFlags = [
      '--data-dir',
      join(folder, 'etcd'),
      '--log-level',
      'error',
      '--initial-cluster',
      `default=${peerUrl}`,
    ];
    installation.etcd = startProgram(
      etcdProgram,
      [
        ...etcdFlags,
        ...['--listen-client-urls', installation.etcdUrl, '--advertise-client-urls', installation.etcdUrl],
        ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
      ],
      folder,
    );
    const config = join(folder, 'config.yaml');
    writeFileSync(config, `planes: {memoryBytes: ${4 * 2 ** 30}, workers: 1}\nlimits: {requestsPerSecond: 0}\n`);
    installation.replicas = [];
    for (const [index, port] of listen.entries()) {
      const dir = join(folder, `r${index}`);
      mkdirSync(dir, { mode: 0o700 });
      if (index > 0) cpSync(join(folder, 'r0', 'seal.key'), join(dir, 'seal.key'));
      installation.replicas.push(await installation.#startReplica(dir, port, config));
    }
    installation.key = readFileSync(join(folder, 'r0', 'admin.key'), 'utf8').trim();
    for (const replica of installation.replicas) replica.id = await installation.#idOf(replica);
    return installation;
  }

  async #startReplica(dir, port, config) {
    const flags = ['start', '--data-dir', dir, '--listen', `127.0.0.1:${port}`, '--store', this.etcdUrl];
    const rest = ['--config', config, '--log-level', 'warn'];
    const process = startProgram(globalThis.process.execPath, [program, ...flags, ...rest], dir);
    const agent = new Agent({ connect: { rejectUnauthorized: false }, connections: 10 });
    const replica = { url: `https://127.0.0.1:${port}`, pid: process.pid, process, agent };
    for (;;) {
      process.failIfEnded();
      const ready = await request(`${replica.url}/readyz`, { dispatcher: agent }).catch(() => undefined);
      await ready?.body.dump();
      if (ready?.statusCode === 200) return replica;
      await delay(50);
    }
  }

  async #idOf(replica) {
    for (;;) {
      const { items } = JSON.parse(await this.send(replica, '/replicas'));
      const own = items.find(({ isThis }) => isThis);
      if (own !== undefined && items.length === this.replicas.length) return own.name;
      await delay(200);
    }
  }

  async send(replica, path, { method = 'GET', body } = {}) {
    for (let attempts = 1; ; attempts++) {
      const { statusCode, body: received } = await request(`${replica.url}${path}`, {
        dispatcher: replica.agent,
        method,
        headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await received.text();
      if (statusCode < 300) return text;
      // On a busy machine, a replica may not confirm in time that its caches are current.
      if (statusCode !== 503 || attempts === 10) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
      await delay(1_000);
    }
  }

  /** Creates a virtual cluster. Returns its name, the replica that prefers it, and the other replica. */
  async createPlane(name) {
    const object = JSON.parse(
      await this.send(this.replicas[0], clusters, { method: 'POST', body: { metadata: { name } } }),
    );
    const shard = `shard-${String(hash(`vc-${object.metadata.uid}`) % 64).padStart(2, '0')}`;
    const weight = ({ id }) => hash(`${shard}/${id}`);
    const [preferred, other] = [...this.replicas].sort((one, two) => weight(two) - weight(one));
    return { name, preferred, other };
  }

  async etcdWatchers() {
    const text = await (await request(`${this.etcdUrl}/metrics`)).body.text();
    return Number(/^etcd_debugging_mvcc_watcher_total (\S+)$/m.exec(text)?.[1]);
  }

  async stop() {
    for (const { process, agent } of this.replicas) {
      await agent.destroy();
      await process.stop();
    }
    await this.etcd.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function hash(text) {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}

/** Runs an operation `count` times with several clients. Returns CPU milliseconds per operation, p50 and p99. */
async function measure(installation, count, clients, operation) {
  const cpu = () => ({
    replicas: installation.replicas.map(({ pid }) => processorMilliseconds([pid])),
    etcd: processorMilliseconds([installation.etcd.pid]),
  });
  const before = cpu();
  const times = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (next < count) {
        const number = next++;
        const begun = performance.now();
        await operation(number);
        times.push(performance.now() - begun);
      }
    }),
  );
  const after = cpu();
  times.sort((one, other) => one - other);
  const perReplica = after.replicas.map((milliseconds, index) => (milliseconds - before.replicas[index]) / count);
  return {
    cpu: round(perReplica.reduce((sum, each) => sum + each, 0)),
    perReplica: perReplica.map(round),
    etcd: round((after.etcd - before.etcd) / count),
    p50: round(percentile(times, 0.5)),
    p99: round(percentile(times, 0.99)),
  };
}

const round = (number) => Math.round(number * 1000) / 1000;

/** Creates planes with 10 objects each, and reads each plane at the replica that does not prefer it. */
async function measurePlanes(installation, report) {
  const planes = [];
  const fill = async (index) => {
    const plane = await installation.createPlane(`plane-${index}`);
    planes.push(plane);
    for (let count = 0; count < 10; count++) {
      const body = { metadata: { name: `c-${count}` }, data };
      await installation.send(plane.preferred, configMaps(plane.name), { method: 'POST', body });
    }
  };
  report('create a virtual cluster and 10 objects', await measure(installation, planeCount, 5, fill));
  await delay(3_000);
  const loaded = async (replica) => {
    const text = await installation.send(replica, '/metrics');
    const figure = (metric) => Number(new RegExp(`^${metric} (\\S+)$`, 'm').exec(text)?.[1]);
    return {
      planes: figure('flotilla_control_planes_loaded'),
      estimateMiB: round(mebibytes(figure('flotilla_control_planes_loaded_bytes'))),
      residentMiB: round(mebibytes(residentBytes([replica.pid]))),
    };
  };
  const state = async (title) => {
    const each = await Promise.all(installation.replicas.map(loaded));
    report(title, { replicas: each, etcdWatchers: await installation.etcdWatchers() });
  };
  await state(`${planeCount} planes after their creation`);
  const read = (number) => {
    const { name, other } = planes[number % planes.length];
    return installation.send(other, `${configMaps(name)}/c-0`);
  };
  report('first get at the other replica', await measure(installation, planes.length, 1, read));
  await delay(2_000);
  await state(`${planeCount} planes after a get at the other replica`);
  report('second get at the other replica', await measure(installation, planes.length, 1, read));
  const write = (number) => {
    const { name, preferred } = planes[number % planes.length];
    const body = { metadata: { name: `late-${number}` }, data };
    return installation.send(preferred, configMaps(name), { method: 'POST', body });
  };
  report('create at the preferred replica', await measure(installation, 5 * planes.length, 5, write));
  // A replica unloads planes that another replica prefers, after a minute without use.
  await delay(75_000);
  await state(`${planeCount} planes after a minute without use`);
}

const installation = await Installation.start();
try {
  // Terms are handed over ten seconds after the last replica has joined.
  await delay(12_000);
  await measurePlanes(installation, (title, figures) => console.log(JSON.stringify({ title, ...figures })));
} finally {
  await installation.stop();
}
