import { type Static, t } from '../../schema/schema-builder.ts';

/** Schema of `status.hostAccess`: it records whether the author of a definition may act on hosts. */
export const hostAccessSchema = (definition: string) =>
  t.enumOf(['Granted', 'Restricted'], {
    description: `Granted if the last author of ${definition} had the permission hostaccess. Restricted if ${definition} may act on the host only through the chart values that the server settings allow.`,
  });

export type HostAccess = Static<ReturnType<typeof hostAccessSchema>>;
