/** Milliseconds that this process has been at work: unlike the time of day, no busy neighbour makes more of them. */
export function processorMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
