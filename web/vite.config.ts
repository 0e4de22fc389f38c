import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Dependencies of the editor, the terminal and the template renderer. They are loaded when a page first needs them. */
const lazyVendor = /node_modules\/(@codemirror|@lezer|@marijn|@xterm|crelt|js-yaml|re2js|style-mod|w3c-keyname)\//;

/** Pages that users often visit together and that share much code. The build puts them into one chunk. */
const managementPages = /\/web\/pages\/(?:access-keys|audit|hosts|people|projects)\//;

/**
 * The chunks of the bundle. With these few chunks, the total size is 14 % smaller than with a hundred small chunks,
 * because large chunks compress better.
 */
const groups = [
  { name: 'vendor', priority: 3, test: (id: string) => id.includes('/node_modules/') && !lazyVendor.test(id) },
  {
    name: 'shared',
    priority: 2,
    test: (id: string) => /\/web\/(?:components(?!\/(?:editor|log|terminal)\/|\/usage\/(?!usage-tab))|data)\//.test(id),
  },
  { name: 'manage', priority: 1, test: (id: string) => managementPages.test(id) },
];

/** Builds the console into files that the server reads at startup. These files load nothing from other hosts. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // Writes the manifest, which lists the imports of each chunk. The weight test computes page sizes from the
    // manifest.
    manifest: true,
    target: 'es2022',
    // Inlines no assets, because the content security policy forbids inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
});
