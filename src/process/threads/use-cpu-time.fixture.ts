/** Uses CPU time of this thread without returning to its event loop. */
export function useCpuTime(seconds: number): void {
  const before = process.cpuUsage();
  for (;;) {
    for (let round = 0; round < 1e6; round++);
    const { user, system } = process.cpuUsage(before);
    if (user + system >= seconds * 1e6) return;
  }
}
