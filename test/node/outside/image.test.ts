import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import description from '../../../package.json' with { type: 'json' };
import runtimes from '../../../scripts/package/runtime.json' with { type: 'json' };
import { describeIfAvailable } from '../../harness/suite.ts';

const { FLOTILLA_NODE_IMAGES: archive = '' } = process.env;
const missing = archive === '' ? 'FLOTILLA_NODE_IMAGES names no image; npm run test:node builds one' : undefined;
const architecture = process.arch === 'x64' ? 'amd64' : 'arm64';

interface Config {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
}

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

/**
 * A script that runs a command as a container runtime does: in its own namespaces, as the user of the image, on a
 * read-only file system.
 */
const container = `
set -e
root=$1 user=$2
shift 2
env PATH="$PATH:/usr/sbin:/sbin" ip link set lo up
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
for folder in data tmp; do mount -t tmpfs -o mode=1777 tmpfs "$root/$folder"; done
exec /usr/sbin/chroot --userspec="$user" --groups= "$root" "$@"`;

describeIfAvailable(missing, 'the container image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-image-'));
  const root = join(folder, 'root');
  let config: Config;

  const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

  beforeAll(() => {
    const layout = join(folder, 'layout');
    // A container runtime creates the directories `proc` and `dev` for its mounts.
    for (const path of [layout, join(root, 'proc'), join(root, 'dev')]) mkdirSync(path, { recursive: true });
    execFileSync('tar', ['xf', archive, '-C', layout]);
    const blob = (digest: string) => join(layout, 'blobs', digest.replace(':', '/'));
    const read = (digest: string) => JSON.parse(readFileSync(blob(digest), 'utf8'));
    const { manifests } = read(JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')).manifests[0].digest);
    const own = manifests.find(
      (one: { platform: { architecture: string } }) => one.platform.architecture === architecture,
    );
    const manifest = read(own.digest);
    config = read(manifest.config.digest).config;
    for (const { digest } of manifest.layers) execFileSync('tar', ['xzpf', blob(digest), '-C', root]);
  });
  const started: ChildProcess[] = [];
  afterAll(() => {
    // After a failed test, the server may still run. --kill-child has no effect, because the server runs as another
    // user.
    for (const child of started) for (const pid of childrenOf(child)) process.kill(pid, 'SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** Returns the process ids of the running children of a process. */
  function childrenOf({ pid }: ChildProcess): readonly number[] {
    const file = `/proc/${pid}/task/${pid}/children`;
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
  }

  function start(command: readonly string[]) {
    const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child'];
    const child = spawn('unshare', [...namespaces, '/bin/sh', '-c', container, 'sh', root, config.User, ...command], {
      env: Object.fromEntries(config.Env.map((variable) => variable.split(/=(.*)/s))),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    return child;
  }

  async function run(...command: readonly string[]): Promise<string> {
    const child = start(command);
    const printed = child.stdout.setEncoding('utf8').reduce((all, part) => all + part, '');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    return printed;
  }

  it('starts the server on port 8443 with its data in /data, as a user other than root', () => {
    expect(config).toMatchObject({
      User: '65532:65532',
      WorkingDir: '/data',
      Entrypoint: ['/usr/bin/node', '/opt/flotilla/bin/flotilla.js'],
      Cmd: ['start', '--data-dir', '/data', '--listen', '0.0.0.0:8443'],
      ExposedPorts: { '8443/tcp': {} },
      Volumes: { '/data': {} },
      StopSignal: 'SIGTERM',
    });
  });

  it('contains no shell, and no setuid or setgid program', () => {
    const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const names = files.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['node', 'helm', 'flotilla', 'flotilla.js']));
    expect(names.filter((name) => /^(ba|da|z|k)?sh$|^busybox$|^(npm|apt|dpkg|perl|python.*)$/.test(name))).toEqual([]);
    const privileged = files.filter(({ parentPath, name }) => statSync(join(parentPath, name)).mode & 0o6000);
    expect(privileged).toEqual([]);
  });

  it('runs the command and helm', async () => {
    expect(await run('/usr/bin/flotilla', 'version', '--client')).toBe(`flotilla ${description.version}\n`);
    expect(await run('/usr/bin/helm', 'version', '--short')).toMatch(/^v3\.\d+\.\d+/);
  });

  it('serves requests with its defaults on a read-only file system, and stops on SIGTERM', async () => {
    const child = start([...config.Entrypoint, ...config.Cmd]);
    const ended = once(child, 'exit');
    let output = '';
    for await (const part of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      output += part;
      if (/^ready https:/m.test(output)) break;
    }
    expect(output).toMatch(/^ready https:\S+:8443$/m);
    child.stdout.resume();
    // The signal is sent to the server, because its parent process `unshare` ignores the signal.
    const [server = -1] = childrenOf(child);
    const request = ['curl', '--silent', '--fail', '--insecure', 'https://127.0.0.1:8443/readyz'];
    expect(execFileSync('nsenter', ['--net', '--target', String(server), ...request], { encoding: 'utf8' })).toContain(
      'ok',
    );
    process.kill(server, 'SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('has a list of its components beside it, which names Node, helm and the packages of Debian', () => {
    const list = JSON.parse(readFileSync(`${archive}.sbom.json`, 'utf8'));
    expect(list).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { version: description.version } } });
    const components: readonly Component[] = list.components;
    const addresses = components.map(({ purl }) => purl);
    expect(new Set(addresses).size).toBe(addresses.length);
    const versionOf = (name: string) => components.find((component) => component.name === name)?.version;
    expect(versionOf('node')).toBe(runtimes[process.arch === 'x64' ? 'linux-x64' : 'linux-arm64'].version);
    expect(versionOf('classic-level')).toBe(description.dependencies['classic-level']);
    const [, helm] = /helm\.sh\/helm\/v3 (v\S+)/.exec(readFileSync('test/tools/helm/go.mod', 'utf8')) ?? [];
    expect(addresses).toEqual(
      expect.arrayContaining([
        `pkg:golang/helm.sh/helm/v3@${helm}`,
        expect.stringMatching(/^pkg:golang\/k8s\.io\/client-go@v/),
        expect.stringMatching(new RegExp(`^pkg:deb/debian/libc6@[^?]+\\?arch=${architecture}&distro=`)),
        expect.stringMatching(/^pkg:deb\/debian\/ca-certificates@[^?]+\?arch=all&distro=/),
      ]),
    );
  });

  it('has the same bytes if it is built again', () => {
    const again = join(folder, 'again.tar');
    execFileSync(process.execPath, ['scripts/package/image.mjs', '--arch', architecture, '--out', again]);
    for (const end of ['', '.sbom.json']) expect(digestOf(`${again}${end}`)).toBe(digestOf(`${archive}${end}`));
  });
});
