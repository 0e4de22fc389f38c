import type { MessagePort } from 'node:worker_threads';
import {
  type DefinitionSource,
  type RenderedDefinition,
  renderDefinition,
} from '../../api/management/render-definition.ts';
import { planeErrors } from '../../builtin/workers/plane-errors.ts';
import { MessageLink } from '../../lib/link/message-link.ts';
import { ThreadActivity } from '../../process/threads/thread-activity.ts';

/** The data that the main thread passes to the thread that renders templates. */
export interface RenderThreadData {
  readonly port: MessagePort;
  /** The memory in which the thread reports that it is alive. */
  readonly activity: SharedArrayBuffer;
}

/** The methods that the thread offers to the main thread. */
export interface RenderMethods {
  render(source: DefinitionSource): RenderedDefinition;
}

/** Renders templates on this thread, until the main thread closes the port. */
export function runRenderThread({ port, activity }: RenderThreadData): void {
  const stopHeartbeat = new ThreadActivity(activity).startHeartbeat();
  port.on('close', stopHeartbeat);
  new MessageLink<RenderMethods, object>({
    port,
    errors: planeErrors,
    methods: { render: (source) => renderDefinition(source) },
  });
}
