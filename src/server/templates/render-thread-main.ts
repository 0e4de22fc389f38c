import { startRenderThread } from './start-render-thread.ts';

// The first file of the thread that renders templates.
startRenderThread();
