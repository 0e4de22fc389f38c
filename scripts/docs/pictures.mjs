// node scripts/docs/pictures.mjs [DIRECTORY]: takes the screenshots of the console for the README and the guides, from a
// temporary server with a small fleet. Writes them to docs/images by default. Needs the built program and Chromium.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { Agent, request } from 'undici';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The directory of the screenshots. */
const images = process.argv[2] ?? join(root, 'docs', 'images');
const apiVersion = 'management.platform.sh/v1';
const group = `/kubernetes/management/apis/${apiVersion}`;

/** The templates on the pictured server: one with parameters, and one that cannot be installed. */
const templates = {
  preview: {
    displayName: 'Branch preview',
    description: 'A virtual cluster for one branch. It is deleted after a time without use.',
    template: { objects: 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {{ .Values.branch }}\n' },
    parameters: [
      {
        variable: 'branch',
        label: 'Branch',
        description: 'The name of a namespace in the virtual cluster.',
        required: true,
        defaultValue: 'main',
      },
      {
        variable: 'size',
        label: 'Size',
        type: 'string',
        options: ['small', 'medium', 'large'],
        defaultValue: 'small',
      },
      { variable: 'replicas', label: 'Replicas', type: 'number', min: 1, max: 5, defaultValue: '2' },
    ],
  },
  'search-service': {
    displayName: 'Search service',
    template: { objects: 'apiVersion: v1\nkind: Index\nmetadata:\n  name: products\n' },
  },
};

/** The names of the virtual clusters in each project. */
const instances = {
  'web-shop': ['checkout', 'catalogue', 'preview-1842', 'preview-1843', 'preview-1851', 'payments', 'product-search'],
  research: ['models', 'notebooks', 'archive'],
  default: ['sandbox', 'docs'],
};
const sleepingInstances = ['archive', 'preview-1842'];
const asleep = { annotations: { 'sleepmode.platform.sh/force': 'true' } };

/** The clusters and templates that projects may use. */
const allowed = {
  allowedClusters: [{ name: '*' }],
  allowedTemplates: [{ kind: 'VirtualClusterTemplate', name: '*' }],
};

const data = mkdtempSync(join(tmpdir(), 'flotilla-pictures-'));
const server = spawn(process.execPath, [
  join(root, 'bin/flotilla.js'),
  'start',
  '--data-dir',
  data,
  '--listen',
  '127.0.0.1:0',
]);
try {
  const url = await ready();
  const key = readFileSync(join(data, 'admin.key'), 'utf8').trim();
  await fillFleet(url, key);
  await takePictures(url, key);
} finally {
  server.kill('SIGTERM');
  await new Promise((resolve) => server.once('exit', resolve));
  rmSync(data, { recursive: true, force: true });
}

function ready() {
  return new Promise((resolve, reject) => {
    let output = '';
    server.once('exit', (code) => reject(new Error(`the server exited with code ${code}:\n${output}`)));
    server.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const url = /^ready (https:\S+)$/m.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

async function fillFleet(url, key) {
  const dispatcher = new Agent({ connect: { ca: readFileSync(join(data, 'ca.crt')) } });
  const create = async (path, kind, metadata, spec) => {
    const object = { apiVersion, kind, metadata, spec };
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await request(`${url}${group}/${path}`, {
      method: 'POST',
      dispatcher,
      headers,
      body: JSON.stringify(object),
    });
    if (response.statusCode !== 201) throw new Error(`${kind} ${metadata.name}: ${await response.body.text()}`);
    await response.body.dump();
  };
  for (const [name, spec] of Object.entries(templates)) {
    await create('virtualclustertemplates', 'VirtualClusterTemplate', { name }, spec);
  }
  const createProject = async (name, displayName, virtualclusterinstances) => {
    const quotas = { project: { virtualclusterinstances } };
    await create('projects', 'Project', { name }, { displayName, ...allowed, quotas });
  };
  await createProject('web-shop', 'Web shop', '10');
  await createProject('research', 'Research', '4');
  await create('clusters', 'Cluster', { name: 'frankfurt' }, { displayName: 'Frankfurt', networkPeer: true });
  await create('ownedaccesskeys', 'OwnedAccessKey', { name: 'nightly' }, { displayName: 'Nightly tests', ttl: 120 });
  for (const [project, names] of Object.entries(instances)) {
    for (const name of names) {
      const path = `namespaces/platform-p-${project}/virtualclusterinstances`;
      const metadata = sleepingInstances.includes(name) ? { name, ...asleep } : { name };
      await create(path, 'VirtualClusterInstance', metadata, { templateRef: { name: templateOf(name) } });
    }
  }
  await dispatcher.close();
}

function templateOf(instance) {
  if (instance === 'product-search') return 'search-service';
  return instance.startsWith('preview') ? 'preview' : 'control-plane';
}

async function takePictures(url, key) {
  const browser = await chromium.launch({
    executablePath: process.env.FLOTILLA_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
  try {
    const context = await browser.newContext({
      baseURL: url,
      ignoreHTTPSErrors: true,
      viewport: { width: 1280, height: 820 },
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const take = (name) => page.screenshot({ path: join(images, `${name}.png`) });
    await page.goto('/');
    await page.getByRole('button', { name: 'Use an access key' }).click();
    await page.locator('input[name="access-key"]').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Hide' }).click();
    await page.mouse.move(0, 0);
    await page.getByText('Virtual cluster "product-search" in project "web-shop" has failed').waitFor();
    await page.getByText(/became Ready in the last \d+ days/).waitFor({ timeout: 60_000 });
    await take('fleet');

    await page.goto('/virtual-clusters/new?project=web-shop');
    await page.getByText('Branch preview').click();
    await page.getByRole('textbox', { name: /^Name/ }).fill('preview-1860');
    await page.getByText('Ready to create').waitFor();
    await page.getByLabel('Virtual cluster YAML').waitFor();
    await take('create');

    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto('/keys/new');
    await page.getByRole('textbox', { name: /^Name/ }).fill('nightly-tests');
    await page.getByText('Limited access').click();
    await page.getByRole('combobox', { name: 'Projects' }).click();
    await page.getByRole('option', { name: /web-shop/ }).click();
    await page.keyboard.press('Escape');
    await page.getByLabel('Allow the command-line tool and kubectl').check();
    await page.evaluate(() => scrollTo(0, 0));
    await take('access-key');
  } finally {
    await browser.close();
  }
}
