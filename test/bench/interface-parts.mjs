import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

const entry = `
  export * as naming from './src/api/naming.ts';
  export { virtualClusterInstanceKind } from './src/api/management/v1/virtual-cluster-instance.ts';
  export { customResourceDefinition } from './test/side-by-side/custom-resource-definition.ts';
`;

/**
 * The identifiers and kinds that the load needs, from the sources, and the definition of the measured kind for
 * kube-apiserver.
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
