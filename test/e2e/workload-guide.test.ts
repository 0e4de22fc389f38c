import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestIssuer } from '../../src/server/auth/workload/workload-issuer.fixture.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { findKubeApiserver, startKubeApiserver } from '../harness/kube-apiserver.mjs';
import { kubectlMissing } from '../harness/kubectl.ts';
import { freePorts } from '../harness/start-program.mjs';
import { describeIfAvailable } from '../harness/suite.ts';
import { codeBlocks, guideText, shellBlocks } from '../harness/walk-guide.ts';

const root = new URL('../..', import.meta.url).pathname;
const programs = findKubeApiserver();
const missing = kubectlMissing ?? (programs === undefined ? 'there is no kube-apiserver' : undefined);
const exampleUrl = 'https://clusters.example.com';

interface Entry extends Record<string, unknown> {
  readonly name: string;
  readonly issuer: string;
}

/** Runs the commands of the guide with its settings, with an issuer of CI tokens and a real Kubernetes API server. */
describeIfAvailable(missing, 'the guide to pipelines without secrets', () => {
  let folder: string;
  let flotilla: FlotillaProcess;
  let issuer: TestIssuer;
  let cluster: Awaited<ReturnType<typeof startKubeApiserver>>;
  let clusterKubeconfig: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'workload-guide-'));
    mkdirSync(join(folder, 'bin'));
    symlinkSync(join(root, 'bin/flotilla.js'), join(folder, 'bin/flotilla'));
    issuer = await TestIssuer.start();
    if (programs === undefined) throw new Error('there is no kube-apiserver');
    const flags = ['--anonymous-auth=true'];
    cluster = await startKubeApiserver({ programs, dataDir: join(folder, 'cluster'), authorization: 'RBAC', flags });
    clusterKubeconfig = join(folder, 'cluster.kubeconfig');
    writeFileSync(clusterKubeconfig, kubeconfigOf(cluster));
    await run(shellBlocks('ci-without-secrets.md', 'Trust a Kubernetes cluster').join('\n'), {
      KUBECONFIG: clusterKubeconfig,
    });
    await startServer();
    await run(shellBlocks('ci-without-secrets.md', 'Create a user for the pipeline').join('\n'), admin());
  }, 180_000);
  afterAll(async () => {
    await flotilla?.remove();
    await cluster?.stop();
    await issuer?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(script: string, env: Record<string, string> = {}): Promise<string> {
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}`, ...env },
    });
    return stdout;
  }

  const admin = () => ({
    KUBECONFIG: flotilla.kubeconfig,
    FLOTILLA_CONFIG: join(folder, 'admin.json'),
    FLOTILLA_URL: flotilla.url,
    FLOTILLA_CA_FILE: join(folder, '.flotilla/ca.crt'),
    FLOTILLA_ACCESS_KEY: flotilla.adminKey,
  });

  /** Starts the server with the settings of the guide. Replaces only URLs and file paths. */
  async function startServer(): Promise<void> {
    const [port] = await freePorts(1);
    const url = `https://127.0.0.1:${port}`;
    const entries = ['Trust GitHub Actions and GitLab', 'Trust a Kubernetes cluster'].flatMap((section) => {
      const text = (codeBlocks(guideText('ci-without-secrets.md', section), 'yaml')[0] ?? '').replaceAll(
        exampleUrl,
        url,
      );
      return (load(text) as { auth: { workloadIdentity: Entry[] } }).auth.workloadIdentity;
    });
    expect(entries.map(({ name }) => name)).toEqual(['github', 'gitlab', 'build-cluster']);
    const workloadIdentity = entries.map((entry) => {
      if (entry.name === 'github') return { ...entry, issuer: issuer.url };
      return entry.name === 'build-cluster' ? { ...entry, jwksFile: join(folder, 'cluster-keys.json') } : entry;
    });
    const config = join(folder, 'server.yaml');
    writeFileSync(config, JSON.stringify({ externalUrl: url, auth: { workloadIdentity } }));
    const dataDirectory = join(folder, '.flotilla');
    flotilla = await startFlotilla({ dataDirectory, listen: `127.0.0.1:${port}`, args: ['--config', config] });
  }

  /** Changes the issuers in the settings, and restarts the server. */
  async function changeEntries(change: (entries: readonly Entry[]) => readonly object[]): Promise<void> {
    const config = join(folder, 'server.yaml');
    const { auth, ...others } = JSON.parse(readFileSync(config, 'utf8')) as { auth: { workloadIdentity: Entry[] } };
    const workloadIdentity = change(auth.workloadIdentity);
    writeFileSync(config, JSON.stringify({ ...others, auth: { workloadIdentity } }));
    flotilla = await flotilla.restart();
  }

  const jobToken = (claims: Record<string, string> = {}) => issuer.sign({ claims: { aud: flotilla.url, ...claims } });

  /** Creates a token of a service account of the cluster. */
  async function podToken(account: string, audience: string): Promise<string> {
    const create = `kubectl create token ${account} --namespace builds --audience ${audience}`;
    return (await run(create, { KUBECONFIG: clusterKubeconfig })).trim();
  }

  const loginWith = (token: string) => {
    writeFileSync(join(folder, 'token'), token);
    const env = { FLOTILLA_CONFIG: join(folder, 'pod.json'), FLOTILLA_CA_FILE: join(folder, '.flotilla/ca.crt') };
    const login = `flotilla login ${flotilla.url} --workload-identity --token-file token`;
    return run(`${login}\nflotilla create pod-test --wait\nflotilla delete pod-test --wait`, env);
  };

  it('logs in a pod with the token of a real Kubernetes API server, and no other pod', async () => {
    await run(
      'kubectl create namespace builds\nfor name in builder other; do kubectl create serviceaccount $name -n builds; done',
      { KUBECONFIG: clusterKubeconfig },
    );
    expect(await loginWith(await podToken('builder', flotilla.url))).toContain('as ci-shop');
    await expect(loginWith(await podToken('other', flotilla.url))).rejects.toThrow(
      /no rule of the issuer build-cluster matches the token, which has the claims .*kubernetes\.io/,
    );
    await expect(loginWith(await podToken('builder', 'https://kubernetes.default'))).rejects.toThrow(/\(claim aud\)/);
  });

  it('reads the keys of the cluster from its API, with its CA', async () => {
    const caFile = join(folder, 'cluster-ca.crt');
    writeFileSync(caFile, cluster.ca);
    const jwksUri = `${cluster.url}/openid/v1/jwks`;
    await changeEntries((entries) =>
      entries.map((entry) => (entry.name === 'build-cluster' ? { ...entry, jwksFile: null, jwksUri, caFile } : entry)),
    );
    expect(await loginWith(await podToken('builder', flotilla.url))).toContain('as ci-shop');
  });

  it('logs in with the token of a service account of a virtual cluster', async () => {
    const inside = [
      'kubectl get --raw /.well-known/openid-configuration > issuer.json',
      'kubectl get --raw /openid/v1/jwks > virtual-keys.json',
      'kubectl create serviceaccount builder --namespace default',
      `kubectl create token builder --namespace default --audience ${flotilla.url} > virtual.jwt`,
    ];
    await run('flotilla create issuer --wait', admin());
    await run(`flotilla connect issuer -- sh -eu <<'END'\n${inside.join('\n')}\nEND`, admin());
    const { issuer: name } = JSON.parse(readFileSync(join(folder, 'issuer.json'), 'utf8')) as { issuer: string };
    await changeEntries((entries) => [
      ...entries,
      {
        ...entries.find((entry) => entry.name === 'build-cluster'),
        ...{ name: 'virtual', issuer: name, jwksUri: null, caFile: null, jwksFile: join(folder, 'virtual-keys.json') },
        rules: [
          {
            ...{ name: 'builder', when: 'claims.sub == "system:serviceaccount:default:builder"', user: 'ci-shop' },
            scope: { allowPlatformCli: true, projects: [{ project: 'default' }] },
          },
        ],
      },
    ]);
    expect(await loginWith(readFileSync(join(folder, 'virtual.jwt'), 'utf8'))).toContain('as ci-shop');
  });

  it('exchanges the token of a job with curl, shows the access and ends it', async () => {
    writeFileSync(join(folder, 'job.jwt'), await jobToken());
    const [exchange = '', audit = ''] = shellBlocks('ci-without-secrets.md', 'Use another client').map((block) =>
      block.replaceAll('https://127.0.0.1:8443', flotilla.url),
    );
    await run(exchange, admin());
    const { access_token: key } = JSON.parse(readFileSync(join(folder, 'key.json'), 'utf8')) as {
      access_token: string;
    };
    const whoami = { ...admin(), FLOTILLA_ACCESS_KEY: key };
    expect(await run('flotilla whoami', whoami)).toContain('ci-shop');
    writeFileSync(join(folder, 'job.jwt'), await jobToken({ ref: 'refs/heads/feature' }));
    await expect(run(exchange, admin())).rejects.toThrow();
    expect(readFileSync(join(folder, 'key.json'), 'utf8')).toContain('no rule of the issuer github matches');
    expect(await run(audit, admin())).toContain('shop: false');
    const printed = await run(shellBlocks('ci-without-secrets.md', 'See and end access').join('\n'), admin());
    expect(printed).toContain('Workload of github, rule shop');
    await expect(run('flotilla whoami', whoami)).rejects.toThrow(/access key/);
  });
});

function kubeconfigOf({ url, token, ca }: { url: string; token: string; ca: string }): string {
  const authority = Buffer.from(ca).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'build', cluster: { server: url, 'certificate-authority-data': authority } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'build', context: { cluster: 'build', user: 'admin' } }],
    'current-context': 'build',
  });
}
