import type { StartThread } from '../../process/threads/thread.ts';
import { type RenderThreadData, runRenderThread } from './render-thread.ts';

/** Renders templates on the thread of the test, connected by the same messages as another thread. */
export const renderOnSameThread: StartThread<RenderThreadData> = (data, ports, onExit) => {
  runRenderThread(data);
  return {
    async terminate() {
      for (const port of ports) port.close();
      onExit(undefined);
    },
  };
};
