import { spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts, isProgram, startProgram, toolFolders } from './start-program.mjs';

/**
 * The two programs that run a Kubernetes API server.
 * @typedef {object} KubeApiserverPrograms
 * @property {string} kubeApiserver
 * @property {string} etcd
 * @property {string} version the version of kube-apiserver, such as `v1.36.3`
 */

/**
 * @typedef {object} KubeApiserverOptions
 * @property {KubeApiserverPrograms} programs
 * @property {string} dataDir an empty folder that the caller removes after `stop()`
 * @property {'AlwaysAllow' | 'RBAC'} [authorization] defaults to AlwaysAllow; the token's user is in system:masters
 * @property {boolean | object[]} [auditLog] writes `audit.log` to the data folder: one metadata line per request, or
 * according to these audit policy rules
 * @property {readonly string[]} [tokens] additional bearer tokens, each of a separate user in system:masters
 * @property {{ url: string, prefix: string }} [etcd] a running etcd that several servers may share; defaults to its own
 * @property {{ cert: string, key: string, ca: string }} [serving] PEM; defaults to a self-signed certificate
 * @property {string} [clientAuthority] PEM of the CA whose client certificates are accepted as identities
 * @property {string} [accountKey] PEM of the key that signs service account tokens; defaults to a new one
 * @property {boolean} [podAccounts] mounts service account tokens into pods; requires a controller that creates
 * accounts
 * @property {readonly string[]} [flags] additional flags of kube-apiserver
 * @property {AbortSignal} [signal] cancels the wait for readiness
 */

/**
 * A kube-apiserver with its own etcd, both on free loopback ports; etcd syncs to disk as it does by default.
 * @typedef {object} KubeApiserver
 * @property {string} url
 * @property {string} token
 * @property {string} ca PEM
 * @property {{ kubeApiserver: number, etcd: number }} pids
 * @property {number} startMilliseconds from the start of etcd until `/readyz` says ok
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop
 */

/**
 * The programs from `KUBEBUILDER_ASSETS`, the folder of test/tools/build.sh, or PATH; `undefined` if one is missing.
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
    // A generated certificate file also contains the CA certificate.
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
 * @typedef {object} EtcdOptions
 * @property {Pick<KubeApiserverPrograms, 'etcd'>} programs
 * @property {string} dataDir an existing folder
 * @property {readonly number[]} ports two: for clients and for other members
 * @property {boolean} [unsafe] disables fsync
 * @property {string} [name] the name of the member
 * @property {string} [cluster] all members, as `--initial-cluster` takes them; defaults to this one alone
 */

/**
 * @param {number} port
 * @returns {string} the address at which other etcd members reach a member
 */
export const etcdPeerUrl = (port) => `http://127.0.0.1:${port}`;

/**
 * @param {EtcdOptions} options
 * @returns {import('./start-program.mjs').StartedProgram & { url: string }}
 */
export function startEtcd({ programs, dataDir, ports, unsafe = false, name = 'default', cluster }) {
  const [clientPort, peerPort] = ports;
  const url = `http://127.0.0.1:${clientPort}`;
  const peerUrl = etcdPeerUrl(peerPort);
  const flags = [
    `--name=${name}`,
    `--data-dir=${join(dataDir, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=${cluster ?? `${name}=${peerUrl}`}`,
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
    '--service-cluster-ip-range=10.96.0.0/16',
    // The default endpoint reconciler waits for endpoints. No controller of this API server creates them.
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

/** Returns the PEM key pair of the private key, or a new pair. */
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

/** The lines of the token file; the first token is the admin's. */
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
