import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Dependencies of the editor and of template rendering, loaded when a page first needs them. */
const lazyVendor = /node_modules\/(@codemirror|@lezer|@marijn|crelt|js-yaml|re2js|style-mod|w3c-keyname)\//;

/** Pages that users visit together and that share much code. */
const managementPages = /\/web\/pages\/(?:access-keys|audit|hosts|people|projects)\//;

/** A few large chunks compress better than a hundred small ones: the total is a seventh smaller. */
const groups = [
  { name: 'vendor', priority: 3, test: (id: string) => id.includes('/node_modules/') && !lazyVendor.test(id) },
  { name: 'shared', priority: 2, test: (id: string) => /\/web\/(?:components(?!\/editor)|data)\//.test(id) },
  { name: 'manage', priority: 1, test: (id: string) => managementPages.test(id) },
];

/** Builds the console into files that the server reads at startup. They load nothing from other hosts. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // Lists the imports of each chunk; the weight test computes page sizes from it.
    manifest: true,
    target: 'es2022',
    // The content security policy forbids inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
});
