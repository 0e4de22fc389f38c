import { type ResourceKind, typedObject } from '../../api/resource.ts';
import { toServedObject } from '../../registry/cache/served.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { ServedObject } from '../../registry/verbs.ts';
import type { SharedFields } from '../shared-fields.ts';

/**
 * With `?extended=true`, get and list add to the status of each instance whether the caller may use or change it. A
 * watch returns the stored objects.
 */
export function extendedInstances(mounted: MountedResource): MountedResource {
  const { kind } = mounted;
  const { get, list } = mounted.verbs;
  return {
    ...mounted,
    verbs: {
      ...mounted.verbs,
      ...(get === undefined
        ? {}
        : {
            async get(context, name, options) {
              const served = await get(context, name, options);
              return context.extended === true ? await extended(kind, context, served) : served;
            },
          }),
      ...(list === undefined
        ? {}
        : {
            async list(context, options) {
              const served = await list(context, options);
              if (context.extended !== true) return served;
              const items: ServedObject[] = [];
              for (const item of served.items) {
                items.push(await extended(kind, context, item));
                await context.nextTimeSlice?.();
              }
              return { ...served, items };
            },
          }),
    },
  };
}

async function extended(kind: ResourceKind, context: RequestContext, { object }: ServedObject): Promise<ServedObject> {
  const { group, plural: resource } = kind;
  const { namespace = '', name = '' } = object.metadata;
  const may = async (verb: string) => await context.may({ verb, group, resource, namespace, name });
  const status = {
    ...typedObject<SharedFields>(kind, object).status,
    canUse: await may('use'),
    canUpdate: await may('update'),
  };
  return toServedObject(kind, { ...object, status });
}
