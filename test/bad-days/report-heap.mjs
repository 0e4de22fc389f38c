// Put in front of the server's own program by tests: says how much of the heap is in use once nothing is left in it that
// nobody needs. Needs --expose-gc.
process.on('SIGUSR2', () => {
  globalThis.gc();
  process.stdout.write(`live heap ${process.memoryUsage().heapUsed}\n`);
});
