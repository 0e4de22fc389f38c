// write-images.mjs FOLDER: writes an archive for each image that the pods of the node use. The images are built from
// the programs in FLOTILLA_TOOLS and the machine's static busybox, so no registry is needed. They have the image names
// that the vCluster chart and vCluster itself use.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { OciLayout } from '../../scripts/package/oci-layout.mjs';
import { writeTar } from '../../scripts/package/tar.mjs';

const [, , folder = '.'] = process.argv;
const tools = process.env.FLOTILLA_TOOLS ?? '';
const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch];
const busybox = execFileSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).trim();
const applets = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n');
const tool = (name) => join(tools, name);

const work = mkdtempSync(join(tmpdir(), 'node-images-'));
try {
  for (const image of images()) await writeImage(image);
} finally {
  rmSync(work, { recursive: true });
}

function images() {
  const chart = tool(readdirSync(tools).find((name) => /^vcluster-\d.*\.tgz$/.test(name)) ?? 'vcluster.tgz');
  const expected = execFileSync(tool('helm'), ['template', 'any', chart], { encoding: 'utf8' });
  const named = (part) => {
    const name = new RegExp(`image: "?([^"\\s]*/${part}:[^"\\s]+)`).exec(expected)?.[1];
    if (name === undefined) throw new Error(`${chart} contains no image ${part}`);
    return name;
  };
  const start = { Env: ['PATH=/usr/local/bin:/bin'] };
  return [
    // The pause container only has to keep a pod's namespaces alive. containerd stops it with SIGKILL.
    { name: 'registry.k8s.io/pause:3.10', shell: true, config: { Entrypoint: ['/bin/sleep', '2147483647'] } },
    { name: 'docker.io/library/busybox:1.35', shell: true, config: { ...start, Cmd: ['sh'] } },
    {
      name: 'docker.io/coredns/coredns:1.12.1',
      files: { '/coredns': 'coredns' },
      config: { Entrypoint: ['/coredns'] },
    },
    {
      // An init container copies /kubernetes to a volume. The programs are newer than the version in the tag.
      name: named('kubernetes'),
      shell: true,
      files: {
        '/kubernetes/kube-apiserver': 'kube-apiserver',
        '/kubernetes/kube-controller-manager': 'kube-controller-manager',
      },
      config: start,
    },
    {
      // This image contains the open edition of vCluster, like the published module. The chart starts the open edition
      // and the Pro edition in the same way.
      name: named('vcluster-pro'),
      shell: true,
      files: { '/vcluster': 'vcluster-syncer', '/usr/local/bin/kine': 'kine', '/usr/local/bin/helm': 'helm' },
      config: { ...start, Entrypoint: ['/vcluster', 'start'] },
    },
  ];
}

async function writeImage({ name, shell = false, files = {}, config }) {
  const id = name.replace(/[^a-z0-9.]/g, '-');
  const root = join(work, id);
  mkdirSync(join(root, 'etc'), { recursive: true });
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/:/bin/sh\n');
  mkdirSync(join(root, 'tmp'));
  chmodSync(join(root, 'tmp'), 0o1777);
  if (shell) addShell(root);
  for (const [path, program] of Object.entries(files)) copyProgram(tool(program), join(root, path));
  const layout = join(work, `${id}-layout`);
  mkdirSync(layout);
  const image = new OciLayout(layout);
  await image.addImage({ architecture, files: root, config, labels: {}, work, compress: false });
  await image.finish(name);
  await writeTar(layout, join(folder, `${id}.tar`));
}

function addShell(root) {
  copyProgram(busybox, join(root, 'bin/busybox'));
  for (const applet of applets) {
    if (applet !== 'busybox') symlinkSync('busybox', join(root, 'bin', applet));
  }
}

function copyProgram(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, 0o755);
}
