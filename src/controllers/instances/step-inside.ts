import { rolesInside, rolesInUse } from '../../api/management/roles-inside.ts';
import type { TemplateDefinition } from '../../api/management/v1/template-definition.ts';
import { applyObjects } from '../../hosts/apply-objects.ts';
import type { Host, HostedVirtualCluster } from '../../hosts/host.ts';
import { timelyClient } from '../../hosts/timely-client.ts';
import { textAt } from '../../lib/json-path.ts';
import { keepBindings, removeOtherBindings } from './bindings-inside.ts';
import { digestOf } from './digest-of.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceNeeds } from './instance-needs.ts';

/** What is to stand inside a virtual cluster. */
export interface Content {
  /** The roles that somebody may have in there, in byte order. */
  readonly roles: readonly string[];
  /** YAML documents. */
  readonly objects: string;
  /** Changes with everything that calls for them to be brought in again. */
  readonly digest: string;
}

export function contentOf(
  { object }: Pick<InstanceFacts, 'object'>,
  definition: TemplateDefinition,
  { uid }: Pick<HostedVirtualCluster, 'uid'>,
): Content {
  const roles = rolesInUse(rolesInside(object, definition.access ?? {}));
  const objects = definition.objects ?? '';
  return { roles, objects, digest: digestOf(uid, roles, objects) };
}

/** How long the API of a virtual cluster may take for one answer. */
const patience = 30_000;

/**
 * Brings in what is to stand there. Rejects with StatusError where the API of the virtual cluster does not answer, and
 * with ApplyError for objects that cannot be applied. Nobody is asked where nothing is missing: a control plane of the
 * built-in cluster is loaded by whoever uses it, not to be looked at.
 */
export async function insideStep(
  host: Host,
  facts: InstanceFacts,
  content: Content,
  needs: InstanceNeeds,
  signal: AbortSignal,
): Promise<void> {
  const virtual = clientInside(host, facts, needs, signal);
  // The first time there is nothing to be taken away, and what stands from the first moment stands.
  const isFirst = textAt(facts.object, 'status', 'deployHash') === '';
  const bound = host.boundRoles ?? [];
  await keepBindings(virtual, isFirst ? content.roles.filter((role) => !bound.includes(role)) : content.roles);
  if (!isFirst) await removeOtherBindings(virtual, [...content.roles, ...bound]);
  if (content.objects.trim() !== '') await applyObjects(content.objects, virtual);
}

/** Gives back the bindings that somebody has deleted or changed in there. */
export async function bindingsStep(
  host: Host,
  facts: InstanceFacts,
  { roles }: Content,
  needs: InstanceNeeds,
  signal: AbortSignal,
): Promise<void> {
  const restored = await keepBindings(clientInside(host, facts, needs, signal), roles);
  if (restored.length === 0) return;
  const message = `Somebody had deleted or changed what gives people their roles inside; it is there again: ${restored.join(', ')}.`;
  needs.events.record(facts.object, 'Warning', 'BindingsRestored', message);
}

/** Takes out of a virtual cluster that goes on without its instance what the server had put in. */
export async function leaveInside(
  host: Host,
  facts: InstanceFacts,
  needs: InstanceNeeds,
  signal: AbortSignal,
): Promise<void> {
  await removeOtherBindings(clientInside(host, facts, needs, signal), host.boundRoles ?? []);
}

function clientInside(host: Host, { place }: InstanceFacts, { clock }: InstanceNeeds, signal: AbortSignal) {
  return timelyClient(host.reach(place), { clock, milliseconds: patience, signal });
}
