import type { JsonObject } from '@flotilla/json';
import { apiVersionOf, type KubeObject } from '../../../../src/api/meta.ts';
import type { ServedKind } from '../../../data/discovery.ts';
import { collectionUrl, objectUrl, queryText } from '../../../data/kind-ref.ts';
import { type CommandContext, chosenNamespace } from './command.ts';
import { KubectlError } from './kubectl-error.ts';
import type { Arguments } from './syntax/flags.ts';
import type { NamedObjects } from './syntax/resolve-kind.ts';

type WireList = { metadata?: { continue?: string; resourceVersion?: string }; items?: JsonObject[] | null };

/** The maximum number of objects in one response. */
export const pageSize = 500;

/** Returns the namespace in which a command looks for objects of a kind. */
export function namespaceFor(kind: ServedKind, args: Arguments, context: CommandContext): string | undefined {
  return kind.namespaced ? chosenNamespace(args, context) : undefined;
}

export function selectors(args: Arguments): { labelSelector?: string; fieldSelector?: string } {
  const [labelSelector, fieldSelector] = [args.text('selector'), args.text('field-selector')];
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

/** Throws an error if object names are combined with flags that select objects. */
export function checkSelection({ names }: NamedObjects, args: Arguments): void {
  if (names.length === 0) return;
  if (args.isOn('all-namespaces'))
    throw new KubectlError('an object cannot be retrieved by name across all namespaces');
  if (args.text('selector') !== undefined || args.text('field-selector') !== undefined)
    throw new KubectlError('a selector cannot be combined with names of objects');
}

/** Returns whole objects: those with the given names, or all that match the selectors. */
export async function readObjects(
  wanted: NamedObjects,
  args: Arguments,
  context: CommandContext,
): Promise<readonly KubeObject[]> {
  checkSelection(wanted, args);
  const { kind, names } = wanted;
  const { root, api, signal } = context;
  const namespace = namespaceFor(kind, args, context);
  if (names.length > 0) {
    const objects: KubeObject[] = [];
    for (const name of names) {
      objects.push(await api.json<KubeObject>({ url: objectUrl(root, kind, { namespace, name }), signal }));
    }
    return objects;
  }
  const objects: KubeObject[] = [];
  let more: string | undefined;
  do {
    const query = queryText({ ...selectors(args), limit: pageSize, continue: more });
    const page = await api.json<WireList>({ url: `${collectionUrl(root, kind, namespace)}${query}`, signal });
    for (const item of page.items ?? []) {
      objects.push({ apiVersion: apiVersionOf(kind), kind: kind.kind, ...item } as KubeObject);
    }
    more = page.metadata?.continue || undefined;
  } while (more !== undefined);
  return objects;
}
