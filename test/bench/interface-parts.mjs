import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

const entry = `
  export * as naming from './src/api/naming.ts';
  export { virtualClusterInstanceKind } from './src/api/management/v1/virtual-cluster-instance.ts';
  export { customResourceDefinition } from './test/side-by-side/custom-resource-definition.ts';
`;

/**
 * What the load needs to know of the interface, from the sources: its identifiers and the kind that is measured,
 * and how kube-apiserver is told of a kind.
 */
export async function loadInterface() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents: entry, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
  return await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
