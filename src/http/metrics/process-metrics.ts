import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * The usual process metrics, read when somebody asks. The library's own collection would keep observers and timers
 * running that nothing can stop.
 */
export function addProcessMetrics(registry: Registry): void {
  const registers = [registry];
  let counted = 0;
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time, user and system.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      const seconds = (user + system) / 1e6;
      this.inc(Math.max(0, seconds - counted));
      counted = seconds;
    },
  });
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process started, in seconds since the epoch.',
    registers,
    collect() {
      this.set(Math.round(Date.now() / 1000 - process.uptime()));
    },
  });
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory that the process holds.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: 'nodejs_heap_size_used_bytes',
    help: 'Heap that is in use.',
    registers,
    collect() {
      this.set(process.memoryUsage().heapUsed);
    },
  });
  new Gauge({
    name: 'nodejs_version_info',
    help: 'The version of Node.js; always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version: process.version }, 1);
}
