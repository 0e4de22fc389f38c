/**
 * The folders that each folder of src/ may import, in addition to itself and lib. docs/ARCHITECTURE.md shows the same
 * table; the docs check compares the two.
 */
export const importTable = {
  lib: [],
  api: [],
  store: [],
  seal: ['store'],
  replicas: ['api', 'store'],
  registry: ['api', 'store'],
  auth: ['api', 'seal'],
  audit: ['api'],
  http: ['api', 'registry', 'auth', 'audit'],
  controlplane: ['api', 'store', 'replicas', 'registry', 'http', 'auth'],
  client: ['api'],
  hosts: ['api', 'client'],
  tunnel: [],
  gateway: ['api', 'auth', 'http', 'hosts'],
  process: ['api', 'auth', 'http'],
  builtin: [
    'api',
    'store',
    'registry',
    'auth',
    'audit',
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
    'replicas',
    'seal',
    'registry',
    'auth',
    'audit',
    'http',
    'controlplane',
    'client',
    'hosts',
    'tunnel',
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
    'registry',
    'auth',
    'audit',
    'http',
    'controlplane',
    'client',
    'hosts',
    'tunnel',
    'gateway',
    'process',
    'builtin',
  ],
  cli: ['api', 'client'],
};

/** Folders that also run in a browser and must not import Node modules. */
export const browserSafe = ['api', 'client'];

/** Folders of src/ that web/ may import. */
export const pagesMayImport = ['lib', 'api', 'client'];

/** Folders that may be imported only by `import()`, so that they are loaded on demand. */
export const dynamicOnly = { cli: ['server', 'agent'] };
