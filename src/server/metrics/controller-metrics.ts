import type { ControllerObserver } from '../../controllers/runtime/controller-observer.ts';
import type { LabelledGauge } from '../../http/metrics/server-gauges.ts';
import type { Tracer } from '../../lib/trace/tracer.ts';

interface Work {
  depth: () => number;
  reconciles: number;
  failures: number;
}

/** Counts the work of controllers, and traces a sample of it. */
export class ControllerMetrics implements ControllerObserver {
  readonly #work = new Map<string, Work>();
  readonly #tracer: Tracer | undefined;

  constructor(tracer: Tracer | undefined) {
    this.#tracer = tracer;
  }

  started(controller: string, depth: () => number): () => void {
    const work = this.#of(controller);
    work.depth = depth;
    return () => {
      work.depth = () => 0;
    };
  }

  reconciling(controller: string): (hasFailed: boolean) => void {
    const work = this.#of(controller);
    const span = this.#tracer?.start({ name: `reconcile ${controller}`, kind: 'internal' });
    return (hasFailed) => {
      work.reconciles++;
      if (hasFailed) work.failures++;
      span?.end({ hasFailed });
    };
  }

  gauges(): LabelledGauge[] {
    const gauge = (name: string, help: string, value: (work: Work) => number): LabelledGauge => ({
      name,
      help,
      label: 'name',
      values: () => [...this.#work].map(([controller, work]) => [controller, value(work)] as const),
    });
    return [
      gauge('workqueue_depth', 'Number of objects that wait for the controller.', (work) => work.depth()),
      gauge('flotilla_reconciles_total', 'Number of reconciles of the controller.', (work) => work.reconciles),
      gauge(
        'workqueue_retries_total',
        'Number of reconciles that failed and are retried, including conflicts.',
        (work) => work.failures,
      ),
    ];
  }

  #of(controller: string): Work {
    const known = this.#work.get(controller) ?? { depth: () => 0, reconciles: 0, failures: 0 };
    this.#work.set(controller, known);
    return known;
  }
}
