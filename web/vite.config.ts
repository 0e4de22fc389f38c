import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** What an editor needs, and what renders templates: loaded by whoever opens one. */
const rarely = /node_modules\/(@codemirror|@lezer|@marijn|crelt|js-yaml|re2js|style-mod|w3c-keyname)\//;

/** Pages that people go to in turn, and that have much in common. */
const managing = /\/web\/pages\/(?:access-keys|audit|hosts|people|projects)\//;

/** A few files compress better than a hundred small ones: all of it weighs a seventh less. */
const groups = [
  { name: 'vendor', priority: 3, test: (id: string) => id.includes('/node_modules/') && !rarely.test(id) },
  { name: 'shared', priority: 2, test: (id: string) => /\/web\/(?:components(?!\/editor)|data)\//.test(id) },
  { name: 'manage', priority: 1, test: (id: string) => managing.test(id) },
];

/** The console as files that the server reads at its start: nothing in them is loaded from anywhere else. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // Which file needs which; what a page weighs is counted by it.
    manifest: true,
    target: 'es2022',
    // Scripts are never inline: the page's policy forbids them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
});
