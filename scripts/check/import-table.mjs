/**
 * Which folder of src/ may import which (besides itself and lib). docs/ARCHITECTURE.md shows the same table; the
 * docs check holds the two against each other.
 */
export const importTable = {
  lib: [],
  api: [],
  store: [],
  seal: [],
  registry: ['api', 'store'],
  auth: ['api', 'seal'],
  audit: ['api'],
  http: ['api', 'registry', 'auth', 'audit'],
  controlplane: ['api', 'store', 'registry', 'http', 'auth'],
  client: ['api'],
  hosts: ['api', 'client'],
  gateway: ['api', 'auth', 'http', 'hosts'],
  process: ['api', 'auth', 'http'],
  builtin: [
    'api',
    'store',
    'registry',
    'auth',
    'seal',
    'http',
    'controlplane',
    'client',
    'hosts',
    'gateway',
    'process',
  ],
  management: ['api', 'registry', 'auth', 'seal', 'controlplane', 'hosts'],
  controllers: ['api', 'client', 'hosts'],
  server: [
    'api',
    'store',
    'seal',
    'registry',
    'auth',
    'audit',
    'http',
    'controlplane',
    'client',
    'hosts',
    'gateway',
    'process',
    'builtin',
    'management',
    'controllers',
  ],
  agent: [
    'api',
    'store',
    'seal',
    'auth',
    'audit',
    'http',
    'controlplane',
    'client',
    'hosts',
    'gateway',
    'process',
    'builtin',
  ],
  cli: ['api', 'client'],
};

/** Folders that run in a browser too: nothing of Node's may be imported. */
export const browserSafe = ['api', 'client'];

/** What the pages in web/ may import of src/. */
export const pagesMayImport = ['lib', 'api', 'client'];

/** What may be imported by `import()` only, so that it is loaded when it is needed. */
export const dynamicOnly = { cli: ['server', 'agent'] };
