// npm run image -- --out FILE [--arch amd64,arm64] [--debian-mirror URL]: writes an OCI archive with the built program,
// Node and helm for each architecture, and FILE.sbom.json, a list of its components in the CycloneDX format. It needs
// no container daemon. Two runs give the same digest if the build, the Debian packages and the version of Go are the
// same. The Debian packages come from the mirror at URL, and security updates from URL-security. Without the option,
// they come from the mirror of this machine if it runs Debian, and otherwise from deb.debian.org.
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildHelm } from './build-helm.mjs';
import { extractDebianLibraries } from './debian-libraries.mjs';
import { goComponents } from './go-modules.mjs';
import { nodeRuntime } from './node-runtime.mjs';
import { OciLayout } from './oci-layout.mjs';
import { bundledPackages, writeBillOfMaterials } from './sbom.mjs';
import { stageNativePackage, stageProgram } from './stage-program.mjs';
import { writeTar } from './tar.mjs';

const {
  out = 'flotilla-image.tar',
  arch,
  'debian-mirror': mirror,
} = parseArgs({
  options: {
    out: { type: 'string' },
    arch: { type: 'string', default: 'amd64,arm64' },
    'debian-mirror': { type: 'string' },
  },
}).values;
const nodePlatforms = { amd64: 'linux-x64', arm64: 'linux-arm64' };

/** The user ID of the process. Other images without a shell use the same ID. */
const user = 65532;
/**
 * The `flotilla` command in the image. The program's own start script is not used, because it needs /usr/bin/env, which
 * the image does not contain.
 */
const command = "#!/usr/bin/node\nrequire('/opt/flotilla/bin/flotilla.js');\n";
/** The root file system may be read-only: the process writes only to /data and /tmp. */
const config = {
  User: `${user}:${user}`,
  WorkingDir: '/data',
  Env: ['PATH=/usr/bin:/bin', 'NODE_ENV=production', 'HOME=/tmp'],
  Entrypoint: ['/usr/bin/node', '/opt/flotilla/bin/flotilla.js'],
  Cmd: ['start', '--data-dir', '/data', '--listen', '0.0.0.0:8443'],
  ExposedPorts: { '8443/tcp': {} },
  Volumes: { '/data': {} },
  StopSignal: 'SIGTERM',
};

const work = await mkdtemp(join(tmpdir(), 'flotilla-image-'));
try {
  const layout = join(work, 'layout');
  await mkdir(layout);
  const image = new OciLayout(layout);
  const components = [];
  let project;
  for (const architecture of arch.split(',')) {
    if (nodePlatforms[architecture] === undefined) throw new Error(`--arch: "${architecture}" is not amd64 or arm64`);
    const files = join(work, architecture);
    project = await stageFiles(architecture, files, components);
    await image.addImage({ architecture, files, config, labels: labelsOf(project), work });
  }
  const digest = await image.finish(`docker.io/library/${project.name}:${project.version}`);
  const file = resolve(out);
  await mkdir(dirname(file), { recursive: true });
  await writeTar(layout, file);
  components.push(...(await bundledPackages()));
  await writeBillOfMaterials(`${file}.sbom.json`, project, components);
  console.log(`${file}: ${digest}`);
} finally {
  await rm(work, { recursive: true });
}

function labelsOf({ version, license, description }) {
  return {
    'org.opencontainers.image.title': 'Flotilla',
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': license,
  };
}

/** Creates the root file system for an architecture. Returns the contents of package.json. */
async function stageFiles(architecture, files, components) {
  const program = join(files, 'opt', 'flotilla');
  for (const folder of [program, join(files, 'usr', 'bin'), join(files, 'etc'), join(files, 'data')]) {
    await mkdir(folder, { recursive: true });
  }
  const apt = join(work, `apt-${architecture}`);
  components.push(...(await extractDebianLibraries(architecture, { directory: files, work: apt, mirror })));
  const project = await stageProgram(program);
  await stageNativePackage(program, nodePlatforms[architecture]);
  const runtime = await nodeRuntime(nodePlatforms[architecture]);
  await copyProgram(runtime.program, join(files, 'usr', 'bin', 'node'));
  const helm = await buildHelm(architecture);
  await copyProgram(helm, join(files, 'usr', 'bin', 'helm'));
  await writeFile(join(files, 'usr', 'bin', 'flotilla'), command, { mode: 0o755 });
  await writeFile(join(files, 'etc', 'passwd'), `flotilla:x:${user}:${user}:Flotilla:/data:/sbin/nologin\n`);
  await writeFile(join(files, 'etc', 'group'), `flotilla:x:${user}:\n`);
  await mkdir(join(files, 'tmp'));
  for (const folder of ['tmp', 'data']) await chmod(join(files, folder), 0o1777);
  components.push(runtime.component, ...(await goComponents(helm)));
  return project;
}

async function copyProgram(from, to) {
  await copyFile(from, to);
  await chmod(to, 0o755);
}
