import type { MessagePort } from 'node:worker_threads';
import type { JsonObject } from '@flotilla/json';
import {
  type DefinitionSource,
  type RenderedDefinition,
  renderDefinition,
} from '../../api/management/render-definition.ts';
import { planeErrors } from '../../builtin/workers/plane-errors.ts';
import { ApplyError } from '../../hosts/apply-objects.ts';
import { readObjects } from '../../hosts/read-objects.ts';
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
  readObjects(text: string): ReadObjects;
}

/** The objects of a template, or the reason why they cannot be read. */
export type ReadObjects = { readonly objects: readonly JsonObject[] } | { readonly problem: string };

/** Renders templates on this thread, until the main thread closes the port. */
export function runRenderThread({ port, activity }: RenderThreadData): void {
  const stopHeartbeat = new ThreadActivity(activity).startHeartbeat();
  port.on('close', stopHeartbeat);
  new MessageLink<RenderMethods, object>({
    port,
    errors: planeErrors,
    methods: { render: (source) => renderDefinition(source), readObjects: readOrReport },
  });
}

function readOrReport(text: string): ReadObjects {
  try {
    return { objects: readObjects(text) };
  } catch (error) {
    if (error instanceof ApplyError) return { problem: error.message };
    throw error;
  }
}
