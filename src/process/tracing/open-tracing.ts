import { hostname } from 'node:os';
import type { LabelledGauge, SimpleGauge } from '../../http/metrics/server-gauges.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { programVersion } from '../../lib/program-version.ts';
import { Tracer } from '../../lib/trace/tracer.ts';
import type { TracingSettings } from './tracing-settings.ts';

/** The tracing of a process. */
export interface Tracing {
  /** `undefined` if tracing is off. */
  readonly tracer: Tracer | undefined;
  readonly gauges: readonly SimpleGauge[];
  readonly labelledGauges: readonly LabelledGauge[];
  close(): Promise<void>;
}

const noTracing: Tracing = { tracer: undefined, gauges: [], labelledGauges: [], close: async () => {} };

export interface OpenTracingOptions {
  readonly settings: TracingSettings;
  /** Distinguishes this process from other processes of the installation. */
  readonly instanceId: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens the tracing of a process. If tracing is off, the code that sends spans is not even loaded. */
export async function openTracing({ settings, instanceId, clock, log }: OpenTracingOptions): Promise<Tracing> {
  const { endpoint, sampleRatio, trustCallers, serviceName } = settings;
  if (endpoint === undefined) return noTracing;
  const { OtlpExporter } = await import('./otlp-exporter.ts');
  const exporter = new OtlpExporter({
    settings: { ...settings, endpoint },
    source: {
      resource: {
        'service.name': serviceName,
        'service.version': programVersion,
        'service.instance.id': instanceId,
        'host.name': hostname(),
      },
      scope: { name: 'flotilla', version: programVersion },
    },
    clock,
    log,
  });
  const { counts } = exporter;
  return {
    tracer: new Tracer({ sampleRatio, trustsCallers: trustCallers, clock, sink: (span) => exporter.add(span) }),
    gauges: [
      {
        name: 'flotilla_trace_spans_exported_total',
        help: 'Number of spans that the receiver of traces has accepted.',
        value: () => counts.exported,
      },
    ],
    labelledGauges: [
      {
        name: 'flotilla_trace_spans_dropped_total',
        help: 'Number of spans that were dropped, by reason.',
        label: 'reason',
        values: () => Object.entries(counts.dropped),
      },
    ],
    close: () => exporter.close(),
  };
}
