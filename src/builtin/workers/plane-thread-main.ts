import { startPlaneThread } from './start-plane-thread.ts';

// The first file of a worker thread (`process/threads/start-thread.ts`).
startPlaneThread();
