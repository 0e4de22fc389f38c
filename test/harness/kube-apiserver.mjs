import { spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts, isProgram, startProgram, toolFolders } from './start-program.mjs';

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
 * @property {{ url: string, prefix: string }} [etcd] one that runs already, which several may share; absent: its own
 * @property {{ cert: string, key: string, ca: string }} [serving] PEM; absent: it makes a certificate itself
 * @property {string} [clientAuthority] PEM: who comes with a certificate of it is whom that names
 * @property {string} [accountKey] PEM: what signs the tokens of service accounts; absent: one of its own
 * @property {boolean} [podAccounts] pods get tokens of their accounts, which somebody is there to make
 * @property {readonly string[]} [flags] further ones of kube-apiserver
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
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop
 */

/**
 * The programs from `KUBEBUILDER_ASSETS`, the folder of test/tools/build.sh, or PATH; undefined where one is missing.
 * @returns {KubeApiserverPrograms | undefined}
 */
export function findKubeApiserver() {
  for (const folder of toolFolders()) {
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
  const [port, ...etcdPorts] = await freePorts(options.etcd === undefined ? 3 : 1);
  const etcd = options.etcd === undefined ? startEtcd({ programs, dataDir, ports: etcdPorts }) : undefined;
  const { url: etcdUrl, prefix = '/registry' } = options.etcd ?? etcd;
  const flags = [
    `--etcd-servers=${etcdUrl}`,
    `--etcd-prefix=${prefix}`,
    `--secure-port=${port}`,
    ...serverFlags(options, token),
  ];
  const server = startProgram(programs.kubeApiserver, flags, dataDir);
  const url = `https://127.0.0.1:${port}`;
  const stop = async (how) => {
    await server.stop(how);
    await etcd?.stop(how);
  };
  try {
    // A certificate that it makes itself comes with the authority behind it in the same file.
    const certificate = () =>
      options.serving?.ca ?? readFileSync(join(dataDir, 'certificates', 'apiserver.crt'), 'utf8');
    while (!(await isReady(url, token, certificate))) {
      server.failIfEnded();
      etcd?.failIfEnded();
      await delay(50, undefined, { signal });
    }
    return {
      url,
      token,
      ca: certificate(),
      pids: { kubeApiserver: server.pid, etcd: etcd?.pid ?? -1 },
      startMilliseconds: performance.now() - started,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * @param {{ programs: KubeApiserverPrograms, dataDir: string, ports: readonly number[], unsafe?: boolean }} options two
 *   ports; unsafe: without waiting for the disk
 * @returns {import('./start-program.mjs').StartedProgram & { url: string }}
 */
export function startEtcd({ programs, dataDir, ports, unsafe = false }) {
  const [clientPort, peerPort] = ports;
  const url = `http://127.0.0.1:${clientPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const flags = [
    `--data-dir=${join(dataDir, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--log-level=warn',
    ...(unsafe ? ['--unsafe-no-fsync'] : []),
  ];
  return { ...startProgram(programs.etcd, flags, dataDir), url };
}

function serverFlags(options, token) {
  const { dataDir, authorization = 'AlwaysAllow', auditLog = false, tokens = [], serving, clientAuthority } = options;
  const file = (name, text) => {
    const path = join(dataDir, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const accounts = accountKeys(options.accountKey);
  const flags = [
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--cert-dir=${join(dataDir, 'certificates')}`,
    `--token-auth-file=${file('tokens.csv', tokenLines([token, ...tokens]))}`,
    `--authorization-mode=${authorization}`,
    '--anonymous-auth=false',
    '--service-account-issuer=https://kubernetes.default',
    `--service-account-key-file=${file('account.pub', accounts.publicKey)}`,
    `--service-account-signing-key-file=${file('account.key', accounts.privateKey)}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    // Nobody is there to make the endpoints that this waits for.
    '--endpoint-reconciler-type=none',
    ...(options.flags ?? []),
  ];
  if (options.podAccounts !== true) flags.push('--disable-admission-plugins=ServiceAccount');
  if (serving !== undefined) {
    flags.push(`--tls-cert-file=${file('serving.crt', serving.cert)}`);
    flags.push(`--tls-private-key-file=${file('serving.key', serving.key)}`);
  }
  if (clientAuthority !== undefined) flags.push(`--client-ca-file=${file('clients.crt', clientAuthority)}`);
  if (auditLog !== false) {
    const rules = auditLog === true ? [{ level: 'Metadata' }] : auditLog;
    const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules };
    flags.push(`--audit-policy-file=${file('audit-policy.json', JSON.stringify(policy))}`);
    flags.push(`--audit-log-path=${join(dataDir, 'audit.log')}`);
  }
  return flags;
}

/** PEM, both; made anew where none is given. */
function accountKeys(privatePem) {
  const privateKey =
    privatePem === undefined
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
      : createPrivateKey(privatePem);
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    publicKey: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }),
  };
}

/** The first is the admin's. */
function tokenLines(tokens) {
  return tokens
    .map((token, at) => [token, ...(at === 0 ? ['admin', 'admin'] : [`user-${at}`, `user-${at}`]), 'system:masters\n'])
    .map((fields) => fields.join(','))
    .join('');
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
