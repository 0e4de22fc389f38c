// Preloaded into the server process by tests: reports the size of the live heap after a garbage collection. Requires
// --expose-gc.
process.on('SIGUSR2', () => {
  globalThis.gc();
  process.stdout.write(`live heap ${process.memoryUsage().heapUsed}\n`);
});
