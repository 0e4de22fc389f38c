/** CPU milliseconds that this process has used. Unlike elapsed time, they do not depend on other processes. */
export function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
