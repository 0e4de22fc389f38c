import { textAt } from '@flotilla/json';
import { eventKind } from '../../../api/core/event.ts';
import { StatusError } from '../../../api/status.ts';
import type { ApiClient } from '../../../client/resource-client.ts';
import type { HostLocation } from '../../host.ts';

/**
 * Returns the reason why a StatefulSet has no pods, from its newest FailedCreate event; empty if there is no such
 * event. The events are listed on demand, because watching all events of a cluster would be expensive.
 */
export async function explainMissingPods(
  hostClient: ApiClient,
  { namespace, name }: HostLocation,
  signal: AbortSignal,
): Promise<string> {
  const fieldSelector = `involvedObject.kind=StatefulSet,involvedObject.name=${name},reason=FailedCreate`;
  try {
    const { items } = await hostClient.resource(eventKind).list({ namespace, fieldSelector, signal });
    const lastSeen = (event: (typeof items)[number]) => textAt(event, 'lastTimestamp') || textAt(event, 'eventTime');
    const [newest] = [...items].sort((one, other) => (lastSeen(one) < lastSeen(other) ? 1 : -1));
    return textAt(newest, 'message');
  } catch (error) {
    if (error instanceof StatusError || signal.aborted) return '';
    throw error;
  }
}
