import { performance } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * Adds the standard process metrics, which are collected at each scrape. This function replaces the collectors of the
 * Prometheus library, which start observers and timers that cannot be stopped.
 */
export function addProcessMetrics(registry: Registry): void {
  const registers = [registry];
  let counted = 0;
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time in seconds.',
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
    help: 'Start time of the process in seconds since the epoch.',
    registers,
    collect() {
      this.set(Math.round(Date.now() / 1000 - process.uptime()));
    },
  });
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory size in bytes.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: 'nodejs_heap_size_used_bytes',
    help: 'Used heap size in bytes.',
    registers,
    collect() {
      this.set(process.memoryUsage().heapUsed);
    },
  });
  let countedActive = 0;
  new Counter({
    name: 'nodejs_eventloop_active_seconds_total',
    help: 'Total time in seconds in which the event loop of the main thread was busy.',
    registers,
    collect() {
      const seconds = performance.eventLoopUtilization().active / 1e3;
      this.inc(Math.max(0, seconds - countedActive));
      countedActive = seconds;
    },
  });
  new Gauge({
    name: 'nodejs_version_info',
    help: 'The version of Node.js; always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version: process.version }, 1);
}
