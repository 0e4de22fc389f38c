import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, closeSync, constants, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The two programs that make a Kubernetes API server.
 * @typedef {object} KubeApiserverPrograms
 * @property {string} kubeApiserver
 * @property {string} etcd
 * @property {string} version of kube-apiserver, such as `v1.36.3`
 */

/**
 * @typedef {object} KubeApiserverOptions
 * @property {KubeApiserverPrograms} programs
 * @property {string} dataDir an empty folder that the caller removes after `stop()`
 * @property {'AlwaysAllow' | 'RBAC'} [authorization] AlwaysAllow unless said; the token's user is in system:masters
 * @property {boolean | object[]} [auditLog] writes `audit.log` in the data folder: one line of metadata for each request, or
 *   as these rules of an audit policy say
 * @property {readonly string[]} [tokens] further bearer tokens, each of a user of its own in system:masters
 * @property {AbortSignal} [signal] gives up waiting for it to become ready
 */

/**
 * A kube-apiserver with an etcd of its own, both on free ports of the loopback; etcd syncs to disk as it does by default.
 * @typedef {object} KubeApiserver
 * @property {string} url
 * @property {string} token
 * @property {string} ca PEM
 * @property {{ kubeApiserver: number, etcd: number }} pids
 * @property {number} startMilliseconds from the start of etcd until `/readyz` says ok
 * @property {() => Promise<void>} stop
 */

/**
 * The programs from `KUBEBUILDER_ASSETS`, the folder of test/tools/build.sh, or PATH; undefined where one is missing.
 * @returns {KubeApiserverPrograms | undefined}
 */
export function findKubeApiserver() {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folders = [
    process.env.KUBEBUILDER_ASSETS,
    process.env.FLOTILLA_TOOLS ?? join(cache, 'flotilla-tools'),
    ...(process.env.PATH ?? '').split(delimiter),
  ].filter((folder) => folder !== undefined && folder !== '');
  for (const folder of folders) {
    const kubeApiserver = join(folder, 'kube-apiserver');
    const etcd = join(folder, 'etcd');
    if (!isProgram(kubeApiserver) || !isProgram(etcd)) continue;
    const { stdout } = spawnSync(kubeApiserver, ['--version'], { encoding: 'utf8' });
    return { kubeApiserver, etcd, version: stdout.trim().replace(/^Kubernetes /, '') };
  }
  return undefined;
}

/**
 * @param {KubeApiserverOptions} options
 * @returns {Promise<KubeApiserver>}
 */
export async function startKubeApiserver(options) {
  const { programs, dataDir, signal = AbortSignal.timeout(120_000) } = options;
  const started = performance.now();
  const token = randomUUID();
  mkdirSync(dataDir, { recursive: true });
  const [clientPort, peerPort, port] = await freePorts(3);
  const etcdUrl = `http://127.0.0.1:${clientPort}`;
  const etcd = startProgram(programs.etcd, etcdFlags(dataDir, etcdUrl, `http://127.0.0.1:${peerPort}`), dataDir);
  const flags = [`--etcd-servers=${etcdUrl}`, `--secure-port=${port}`, ...serverFlags(options, token)];
  const server = startProgram(programs.kubeApiserver, flags, dataDir);
  const url = `https://127.0.0.1:${port}`;
  const stop = async () => {
    await server.stop();
    await etcd.stop();
  };
  try {
    // It makes its certificate itself, with the authority behind it in the same file.
    const certificate = () => readFileSync(join(dataDir, 'certificates', 'apiserver.crt'), 'utf8');
    while (!(await isReady(url, token, certificate))) {
      server.failIfEnded();
      etcd.failIfEnded();
      await delay(50, undefined, { signal });
    }
    return {
      url,
      token,
      ca: certificate(),
      pids: { kubeApiserver: server.pid, etcd: etcd.pid },
      startMilliseconds: performance.now() - started,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function etcdFlags(dataDir, clientUrl, peerUrl) {
  return [
    `--data-dir=${join(dataDir, 'etcd')}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--log-level=warn',
  ];
}

function serverFlags({ dataDir, authorization = 'AlwaysAllow', auditLog = false, tokens = [] }, token) {
  const file = (name, text) => {
    const path = join(dataDir, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const flags = [
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--cert-dir=${join(dataDir, 'certificates')}`,
    `--token-auth-file=${file('tokens.csv', tokenLines([token, ...tokens]))}`,
    `--authorization-mode=${authorization}`,
    '--anonymous-auth=false',
    '--service-account-issuer=https://kubernetes.default',
    `--service-account-key-file=${file('account.pub', publicKey.export({ type: 'spki', format: 'pem' }))}`,
    `--service-account-signing-key-file=${file('account.key', privateKey.export({ type: 'pkcs8', format: 'pem' }))}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    // Nobody is there to make the accounts and endpoints that these wait for.
    '--disable-admission-plugins=ServiceAccount',
    '--endpoint-reconciler-type=none',
  ];
  if (auditLog !== false) {
    const rules = auditLog === true ? [{ level: 'Metadata' }] : auditLog;
    const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules };
    flags.push(`--audit-policy-file=${file('audit-policy.json', JSON.stringify(policy))}`);
    flags.push(`--audit-log-path=${join(dataDir, 'audit.log')}`);
  }
  return flags;
}

/** The first is the admin's. */
function tokenLines(tokens) {
  return tokens
    .map((token, at) => [token, ...(at === 0 ? ['admin', 'admin'] : [`user-${at}`, `user-${at}`]), 'system:masters\n'])
    .map((fields) => fields.join(','))
    .join('');
}

/** Runs a program with what it prints in a file of its own; `stop` asks, and after ten seconds makes it end. */
function startProgram(program, flags, dataDir) {
  const log = join(dataDir, `${program.slice(program.lastIndexOf('/') + 1)}.log`);
  const output = openSync(log, 'w');
  const child = spawn(program, flags, { stdio: ['ignore', output, output], cwd: dataDir });
  closeSync(output);
  const ended = once(child, 'exit');
  ended.catch(() => undefined);
  return {
    pid: child.pid ?? -1,
    failIfEnded() {
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) return;
      throw new Error(`${program} ended before it was ready:\n${readFileSync(log, 'utf8').slice(-4000)}`);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
      child.kill('SIGTERM');
      await ended;
      clearTimeout(patience);
    },
  };
}

/** @returns {Promise<boolean>} */
function isReady(url, token, certificate) {
  return new Promise((resolve) => {
    let ca;
    try {
      ca = certificate();
    } catch {
      resolve(false);
      return;
    }
    const request = get(`${url}/readyz`, { ca, headers: { authorization: `Bearer ${token}` }, agent: false });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}

/** Ports that were free a moment ago: held together until all are known, so that no two are the same. */
async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
