// The single file that `flotilla start` runs (bin/cached-program.js).
export { main } from '../src/cli/main.ts';

/**
 * The functions that threads run, by the names that `src/process/threads/start-thread.ts` uses. Each function imports
 * its code only when it is called, because the main thread must first choose the API word (`src/cli/main.ts`).
 */
export const threads = {
  'plane-thread': async () => {
    const { startPlaneThread } = await import('../src/builtin/workers/start-plane-thread.ts');
    startPlaneThread();
  },
  'render-thread': async () => {
    const { startRenderThread } = await import('../src/server/templates/start-render-thread.ts');
    startRenderThread();
  },
};
